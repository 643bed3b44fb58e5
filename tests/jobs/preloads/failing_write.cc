// A preload in whose process some writes to run files fail with EIO, as on a faulty disk:
// FAILING_WRITES=<first>-<last>, counted from 1. All other writes are glibc's.
#include <dlfcn.h>
#include <errno.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace {

bool IsRunFile(int descriptor) {
  std::array<char, 64> link;
  std::array<char, 4096> path;
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  const ssize_t length = readlink(link.data(), path.data(), path.size());
  return length > 0 &&
         std::string_view(path.data(), static_cast<std::size_t>(length)).ends_with(".gtap");
}

bool Fails() {
  static std::atomic<int> writes{0};
  int first = 0, last = 0;
  const char* text = std::getenv("FAILING_WRITES");
  if (text == nullptr || std::sscanf(text, "%d-%d", &first, &last) != 2) return false;
  const int number = ++writes;
  return number >= first && number <= last;
}

}  // namespace

extern "C" ssize_t write(int descriptor, const void* bytes, std::size_t length) {
  using Write = ssize_t (*)(int, const void*, std::size_t);
  static const auto real = reinterpret_cast<Write>(dlsym(RTLD_NEXT, "write"));
  if (!IsRunFile(descriptor) || !Fails()) return real(descriptor, bytes, length);
  errno = EIO;
  return -1;
}
