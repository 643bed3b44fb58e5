#include "analyzer/reader/byte_source.h"

#include <cerrno>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace graphtap::reader {

absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path) {
  int error = 0;
  if (auto source = frames::OpenFile(path, &error)) return source;
  if (error == EINVAL) {
    return absl::InvalidArgumentError(absl::StrFormat("%s: not a regular file", path));
  }
  return absl::ErrnoToStatus(error, absl::StrFormat("%s: cannot be opened", path));
}

}  // namespace graphtap::reader
