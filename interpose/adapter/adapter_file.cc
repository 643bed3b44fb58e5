#include "interpose/adapter/adapter_file.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <thread>
#include <vector>

#include "interpose/abi/adapter.h"
#include "interpose/adapter/source_key.h"

namespace graphtap::adapter {
namespace {

using namespace std::chrono_literals;

// The folder of libgraphtap.so.
std::string OwnFolder() {
  Dl_info info{};
  if (dladdr(reinterpret_cast<const void*>(&OwnFolder), &info) == 0) return "";
  const std::string path = info.dli_fname == nullptr ? "" : info.dli_fname;
  return path.substr(0, path.rfind('/'));
}

std::string CacheFolder() {
  const char* cache = std::getenv("XDG_CACHE_HOME");
  if (cache != nullptr && *cache == '/') return std::string(cache) + "/graphtap";
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.cache/graphtap" : "";
}

// The key tells adapters of another release apart.
std::string FileName(const TorchBuild& torch) {
  return "libgraphtap_torch-" + torch.version + "-abi" + (torch.new_strings ? '1' : '0') + "-" +
         kSourceKey + ".so";
}

// In a build folder the library lies two levels below the scripts.
std::string ScriptPath() {
  std::error_code error;
  const auto path =
      std::filesystem::weakly_canonical(OwnFolder() + "/../../scripts/build-adapter", error);
  return !error && access(path.c_str(), X_OK) == 0 ? path.string() : "";
}

// What graphtap puts into the environment of a job is not for the compiler.
bool IsOurs(std::string_view variable) {
  return variable.starts_with("LD_PRELOAD=") || variable.starts_with("GRAPHTAP_") ||
         variable.starts_with("NVTX_INJECTION64_PATH=");
}

pid_t Spawn(const std::string& script, const TorchBuild& torch) {
  std::vector<char*> environment;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (!IsOurs(*entry)) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  std::string path = script, option = "--torch", folder = torch.folder;
  std::array<char*, 4> arguments = {path.data(), option.data(), folder.data(), nullptr};
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  // The job's output is its own; a message names the command, which says itself what is wrong.
  for (const int output : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&files, output, "/dev/null", O_WRONLY, 0);
  }
  pid_t child = -1;
  const int error =
      posix_spawn(&child, path.c_str(), &files, nullptr, arguments.data(), environment.data());
  posix_spawn_file_actions_destroy(&files);
  return error == 0 ? child : -1;
}

}  // namespace

std::string FindFile(const TorchBuild& torch) {
  for (const std::string& folder : {OwnFolder(), CacheFolder()}) {
    if (folder.empty()) continue;
    std::string path = folder + '/' + FileName(torch);
    if (access(path.c_str(), R_OK) == 0) return path;
  }
  return "";
}

std::optional<std::string> MarkOf(const std::string& path) {
  constexpr std::string_view kMark = GRAPHTAP_ADAPTER_MARK;
  constexpr std::streamoff kMostBytes = 64 << 20;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file || file.tellg() < 0) return std::nullopt;
  if (file.tellg() > kMostBytes) return "";
  std::string content(static_cast<std::size_t>(file.tellg()), '\0');
  file.seekg(0);
  file.read(content.data(), static_cast<std::streamsize>(content.size()));
  const auto mark = content.find(kMark);
  if (mark == std::string::npos) return "";
  const auto begin = mark + kMark.size();
  return content.substr(begin, content.find('\0', begin) - begin);
}

std::string BuildCommand(const TorchBuild& torch) {
  const std::string script = ScriptPath();
  return script.empty() ? "" : script + " --torch " + torch.folder;
}

bool Build(const TorchBuild& torch, std::chrono::seconds limit) {
  const std::string script = ScriptPath();
  const pid_t child = script.empty() ? -1 : Spawn(script, torch);
  if (child < 0) return false;
  const auto end = std::chrono::steady_clock::now() + limit;
  int status = 0;
  for (;;) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    // The job waits for all of its children itself: then it cannot be known how this one ended.
    if (ended < 0) return true;
    if (std::chrono::steady_clock::now() >= end) break;
    std::this_thread::sleep_for(20ms);
  }
  kill(child, SIGKILL);
  waitpid(child, &status, 0);
  return false;
}

}  // namespace graphtap::adapter
