// ByteSource: the bytes of a run file, as proto/frames has them; what cannot be opened is a status
// that names the file. Owner: the caller. Threads: one at a time. Failure: the status.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "proto/frames/byte_source.h"

namespace graphtap::reader {

using frames::ByteSource;
using frames::OpenBytes;

// NotFound, PermissionDenied or InvalidArgument (not a file).
absl::StatusOr<std::unique_ptr<ByteSource>> OpenFile(const std::string& path);

}  // namespace graphtap::reader
