#include "tests/rules/child_process.h"

#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cstdio>
#include <exception>
#include <map>
#include <stdexcept>
#include <string_view>

namespace rules {
namespace {

constexpr std::string_view kOption = "--part=";

std::map<std::string, int (*)()>& Parts() {
  static std::map<std::string, int (*)()> parts;
  return parts;
}

}  // namespace

ChildPart::ChildPart(const char* name, int (*run)()) { Parts()[name] = run; }

int RunInChildProcess(const std::string& part) {
  std::string program = "/proc/self/exe", option = std::string(kOption) + part;
  char* arguments[] = {program.data(), option.data(), nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, program.c_str(), nullptr, nullptr, arguments, environ) != 0) {
    throw std::runtime_error("cannot start " + program);
  }
  int status = 0;
  if (waitpid(pid, &status, 0) != pid) throw std::runtime_error("waitpid failed");
  return status;
}

bool RunAsChild(int argc, char** argv, int* code) {
  if (argc != 2 || !std::string_view(argv[1]).starts_with(kOption)) return false;
  const rlimit no_core{0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  try {
    *code = Parts().at(argv[1] + kOption.size())();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s: %s\n", argv[1], error.what());
    *code = 99;
  }
  return true;
}

}  // namespace rules
