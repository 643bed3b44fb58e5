#include "analyzer/launcher/surroundings.h"

#include <sys/auxv.h>
#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <memory>
#include <string_view>
#include <system_error>

namespace graphtap::launcher {
namespace {

namespace fs = std::filesystem;

constexpr const char* kLibrary = "libgraphtap.so";
constexpr const char* kDefaultSearchPath = "/bin:/usr/bin";

int CheckFile(const fs::path& path) {
  std::error_code error;
  const auto status = fs::status(path, error);
  if (!fs::exists(status)) return error && error.value() == EACCES ? EACCES : ENOENT;
  return fs::is_regular_file(status) && access(path.c_str(), X_OK) == 0 ? 0 : EACCES;
}

// Where no /proc is mounted: what was executed, which may be a link or relative.
fs::path OwnProgram(std::error_code* code) {
  const fs::path program = fs::read_symlink("/proc/self/exe", *code);
  if (!*code) return program;
  const auto* executed = reinterpret_cast<const char*>(getauxval(AT_EXECFN));
  return executed == nullptr ? fs::path() : fs::canonical(executed, *code);
}

}  // namespace

int CheckCommand(const std::string& name, const char* search_path) {
  if (name.empty()) return ENOENT;
  if (name.find('/') != std::string::npos) return CheckFile(name);
  int result = ENOENT;
  std::string_view rest = search_path == nullptr ? kDefaultSearchPath : search_path;
  for (;;) {
    const auto colon = rest.find(':');
    const auto folder = rest.substr(0, colon);
    // An empty entry is the working folder.
    const int found = CheckFile(fs::path(folder.empty() ? "." : folder) / name);
    if (found == 0) return 0;
    if (found == EACCES) result = EACCES;
    if (colon == std::string_view::npos) return result;
    rest.remove_prefix(colon + 1);
  }
}

std::optional<fs::path> FindPreloadLibrary(std::string* error) {
  std::error_code code;
  const fs::path program = OwnProgram(&code);
  const fs::path library = program.parent_path().parent_path() / "lib" / kLibrary;
  const std::string name = std::string("the preload library '") + library.c_str() + "'";
  if (code || access(library.c_str(), R_OK) != 0) {
    *error = name + " cannot be read: install graphtap again";
    return std::nullopt;
  }
  // LD_PRELOAD has no way to quote its separators.
  if (library.string().find_first_of(" :") != std::string::npos) {
    *error = name + " cannot be preloaded: its path may have no space and no colon";
    return std::nullopt;
  }
  return library;
}

std::optional<std::string> FindGitRevision() {
  const std::unique_ptr<FILE, int (*)(FILE*)> git(
      popen("git rev-parse --verify HEAD 2>/dev/null </dev/null", "re"), &pclose);
  if (git == nullptr) return std::nullopt;
  std::array<char, 128> line = {};
  if (fgets(line.data(), line.size(), git.get()) == nullptr) return std::nullopt;
  const std::string_view text = line.data();
  const auto end = text.find_first_not_of("0123456789abcdef");
  // 40 digits with SHA-1, 64 with SHA-256.
  if (end != 40 && end != 64) return std::nullopt;
  return std::string(text.substr(0, end));
}

std::string NewRunId() {
  std::uint64_t number = 0;
  if (getrandom(&number, sizeof(number), 0) != sizeof(number)) {
    timespec now = {};
    clock_gettime(CLOCK_REALTIME, &now);
    number = static_cast<std::uint64_t>(now.tv_sec) << 30 ^
             static_cast<std::uint64_t>(now.tv_nsec) ^ static_cast<std::uint64_t>(getpid()) << 44;
  }
  std::array<char, 17> digits = {};
  snprintf(digits.data(), digits.size(), "%016llx", static_cast<unsigned long long>(number));
  return digits.data();
}

}  // namespace graphtap::launcher
