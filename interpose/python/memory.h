// Memory: how CPython's objects are read: directly where the layout has been tested; else checked,
// so that an address which is none does not end the process. Owner: the caller. Threads: one.
// Failure: false: it cannot be read. Units: bytes.
#pragma once

#include <cstddef>
#include <cstring>

namespace graphtap::python {

class DirectMemory {
 public:
  static bool Read(const void* from, void* to, std::size_t bytes) noexcept {
    std::memcpy(to, from, bytes);
    return true;
  }
};

// By a pipe, into which the kernel does not write what is not there.
class CheckedMemory {
 public:
  CheckedMemory() noexcept;
  ~CheckedMemory();
  CheckedMemory(const CheckedMemory&) = delete;
  CheckedMemory& operator=(const CheckedMemory&) = delete;

  bool ok() const noexcept { return ends_[0] >= 0; }
  bool Read(const void* from, void* to, std::size_t bytes) const noexcept;

 private:
  int ends_[2] = {-1, -1};
};

// The value at `offset` in an object.
template <typename Value, typename Memory>
bool ReadAt(const Memory& memory, const void* object, std::size_t offset, Value* value) noexcept {
  return memory.Read(static_cast<const std::byte*>(object) + offset, value, sizeof(Value));
}

}  // namespace graphtap::python
