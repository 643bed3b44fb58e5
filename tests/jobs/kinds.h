// The main of a job that does one thing per sub-command. Owner: nobody. Threads: one. Failure: ends
// the job: exit code 2 for an unknown kind, after a line on stderr that names all.
#pragma once

#include <cstdio>
#include <cstring>
#include <span>

namespace jobs {

struct Kind {
  const char* name;
  void (*run)();
  bool in_all = true;
};

// Prints "<kind> ok" for each that ran.
inline int RunKinds(int argc, char** argv, const char* job, std::span<const Kind> kinds) {
  bool found = false;
  for (const Kind& kind : kinds) {
    const bool all = argc == 2 && std::strcmp(argv[1], "all") == 0 && kind.in_all;
    if (argc != 2 || (std::strcmp(argv[1], kind.name) != 0 && !all)) continue;
    found = true;
    kind.run();
    std::printf("%s ok\n", kind.name);
  }
  if (found) return 0;
  std::fprintf(stderr, "%s: name one of: all", job);
  for (const Kind& kind : kinds) std::fprintf(stderr, " %s", kind.name);
  std::fprintf(stderr, "\n");
  return 2;
}

}  // namespace jobs
