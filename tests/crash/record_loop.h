// Record loop: what the program that is killed and the test that kills it agree on. The program
// notes what it has recorded in a shared page, which outlives it. Units: CLOCK_MONOTONIC ns.
#pragma once

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace graphtap::crash {

struct Progress {
  std::atomic<std::uint64_t> records;  // recorded by now; record k has code k and the time it began
  std::atomic<std::uint64_t> time_ns;  // when the last of them began
};

// The page in the file `path`, which is made if there is none; nullptr on failure.
inline Progress* OpenProgress(const char* path) {
  const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0) return nullptr;
  void* page = MAP_FAILED;
  if (ftruncate(file, sizeof(Progress)) == 0) {
    page = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  }
  close(file);
  return page == MAP_FAILED ? nullptr : static_cast<Progress*>(page);
}

inline std::uint64_t NowNs() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

}  // namespace graphtap::crash
