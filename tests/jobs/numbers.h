// Options of the test jobs that are numbers: `--name N`. Owner: nobody. Threads: one. Failure:
// prints the usage and ends the job with 2.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string_view>

namespace jobs {

struct NumberOption {
  std::string_view name;
  unsigned* value;
};

inline void ReadNumbers(int argc, char** argv, const char* usage, unsigned long most,
                        std::initializer_list<NumberOption> options) {
  for (int i = 1; i < argc; i += 2) {
    char* end = nullptr;
    const unsigned long number = i + 1 < argc ? std::strtoul(argv[i + 1], &end, 10) : 0;
    bool known = false;
    for (const NumberOption& option : options) {
      if (option.name != argv[i] || number < 1 || number > most || *end != '\0') continue;
      *option.value = static_cast<unsigned>(number);
      known = true;
    }
    if (known) continue;
    std::fprintf(stderr, "%s\n", usage);
    std::exit(2);
  }
}

}  // namespace jobs
