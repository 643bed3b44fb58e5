// ByteSource: the bytes of one run file, read at any offset; its size is fixed when it is opened,
// so that a file that still grows reads as it was at that moment; Update() looks at it anew. Owner:
// the caller. Threads: one at a time. Failure: opening returns a status that names the file; a read
// error later looks like the end of the file. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/statusor.h"

namespace graphtap::reader {

class ByteSource {
 public:
  virtual ~ByteSource() = default;
  virtual std::uint64_t size() const = 0;
  virtual void Update() {}
  // Copies up to `length` bytes from `offset`; returns how many, fewer only at the end.
  virtual std::size_t Read(std::uint64_t offset, char* to, std::size_t length) const = 0;
};

// A source over a regular file. NotFound, PermissionDenied or InvalidArgument (not a file).
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

// A source over bytes in memory.
std::unique_ptr<ByteSource> OpenBytes(std::string bytes);

}  // namespace graphtap::reader
