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
#include <optional>
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

// What graphtap puts into the environment of a job, and what the job's own interpreter wants there,
// is not for the script.
bool IsKept(std::string_view variable) {
  return !variable.starts_with("LD_PRELOAD=") && !variable.starts_with("GRAPHTAP_") &&
         !variable.starts_with("NVTX_INJECTION64_PATH=") && !variable.starts_with("PYTHON");
}

// What a child gets of the job: no open file, no signal mask, no ignored signal; a process group of
// its own, so that all that it starts can be stopped.
class SpawnSettings {
 public:
  SpawnSettings() {
    posix_spawn_file_actions_init(&files);
    posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addclosefrom_np(&files, STDERR_FILENO + 1);
    posix_spawnattr_init(&attributes);
    sigset_t none, all;
    sigemptyset(&none);
    sigfillset(&all);
    posix_spawnattr_setsigmask(&attributes, &none);
    posix_spawnattr_setsigdefault(&attributes, &all);
    posix_spawnattr_setpgroup(&attributes, 0);
    posix_spawnattr_setflags(
        &attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP);
  }
  ~SpawnSettings() {
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  posix_spawn_file_actions_t files;
  posix_spawnattr_t attributes;
};

pid_t Spawn(std::vector<std::string> command) {
  std::vector<char*> environment, arguments;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (IsKept(*entry)) environment.push_back(*entry);
  }
  environment.push_back(nullptr);
  for (std::string& word : command) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  const SpawnSettings settings;
  pid_t child = -1;
  const int error = posix_spawn(&child, arguments[0], &settings.files, &settings.attributes,
                                arguments.data(), environment.data());
  return error == 0 ? child : -1;
}

// Waits until then. nullopt: it has not ended.
std::optional<bool> AwaitSuccess(pid_t child, std::chrono::steady_clock::time_point end) {
  for (;;) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    // The job waits for all of its children itself: then it cannot be known how this one ended.
    if (ended < 0) return true;
    if (std::chrono::steady_clock::now() >= end) return std::nullopt;
    std::this_thread::sleep_for(20ms);
  }
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
  return script.empty() ? "" : script + " --torch '" + torch.folder + "'";
}

bool Build(const TorchBuild& torch, std::chrono::seconds limit) {
  const std::string script = ScriptPath(), cache = CacheFolder();
  if (script.empty() || cache.empty()) return false;
  // Beside a job that runs already: few compilers at a time.
  const pid_t child = Spawn({script, "--torch", torch.folder, "--output", cache, "--jobs", "2"});
  if (child < 0) return false;
  const auto now = std::chrono::steady_clock::now();
  if (const auto success = AwaitSuccess(child, now + limit)) return *success;
  kill(-child, SIGKILL);
  AwaitSuccess(child, now + limit + 2s);
  return false;
}

}  // namespace graphtap::adapter
