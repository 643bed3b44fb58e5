// Array reference: one expected array for all replays, of a .npy or .safetensors file.
// Owner, threads, failure, units: reference.h.
#pragma once

#include <string>
#include <utility>

#include "interpose/values/reference.h"
#include "proto/arrays/array_file.h"

namespace graphtap::values {

class ArrayReference final : public Reference {
 public:
  ArrayReference(std::string path, arrays::ArrayFile file)
      : path_(std::move(path)), file_(std::move(file)) {}

  bool WantsBytes(const Watched&) override { return true; }
  Expected Find(const Watched& watched, std::uint64_t replay) override;
  bool Read(const Expected& expected, std::uint64_t offset, std::span<std::byte> to) override;

 private:
  const std::string path_;
  const arrays::ArrayFile file_;
};

}  // namespace graphtap::values
