// ByteSource: the bytes of one run file, read at any offset; its size is fixed when it is opened,
// so that a file that still grows reads as it was at that moment; Update() looks at it anew.
// Owner: the caller. Threads: one at a time. Failure: opening gives nullptr and an errno value; a
// read error later looks like the end of the file. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace graphtap::frames {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  virtual void Update() {}
  // Copies up to `length` bytes from `offset`; returns how many, fewer only at the end.
  virtual std::size_t Read(std::uint64_t offset, char* to, std::size_t length) const = 0;
};

// A source over a regular file. nullptr: *error is an errno value, EINVAL for what is no such file.
std::unique_ptr<ByteSource> OpenFile(const std::string& path, int* error);

// A source over bytes in memory.
std::unique_ptr<ByteSource> OpenBytes(std::string bytes);

}  // namespace graphtap::frames
