#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "interpose/python/memory.h"

namespace graphtap::python {

CheckedMemory::CheckedMemory() noexcept {
  if (pipe2(ends_, O_CLOEXEC | O_NONBLOCK) != 0) ends_[0] = ends_[1] = -1;
}

CheckedMemory::~CheckedMemory() {
  if (!ok()) return;
  close(ends_[0]);
  close(ends_[1]);
}

bool CheckedMemory::Read(const void* from, void* to, std::size_t bytes) const noexcept {
  constexpr std::size_t kPiece = 4096;  // that a pipe takes as a whole
  const auto* source = static_cast<const std::byte*>(from);
  auto* target = static_cast<std::byte*>(to);
  while (bytes > 0) {
    const std::size_t piece = std::min(bytes, kPiece);
    const auto written = write(ends_[1], source, piece);
    if (written <= 0 || read(ends_[0], target, static_cast<std::size_t>(written)) != written) {
      return false;
    }
    source += written;
    target += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return true;
}

}  // namespace graphtap::python
