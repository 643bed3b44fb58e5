// ArrayFile: a .npy or .safetensors file, its arrays, and their bytes as they are needed.
// Owner: whoever opened it. Threads: one at a time. Failure: nullopt, and *error is one line that
// names the file; bytes that cannot be read are not there. Memory: the header's. Units: bytes.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/arrays/array.h"
#include "proto/frames/byte_source.h"

namespace graphtap::arrays {

// By the end of its name.
bool IsArrayFile(std::string_view path);

class ArrayFile {
 public:
  static std::optional<ArrayFile> Open(const std::string& path, std::string* error);

  const std::vector<Array>& arrays() const { return arrays_; }
  // The tensor of this name, else the only one. nullptr: there are several, none of this name.
  const Array* Find(std::string_view name) const;
  bool Read(const Array& array, std::uint64_t offset, std::span<std::byte> to) const;

 private:
  std::unique_ptr<frames::ByteSource> source_;
  std::vector<Array> arrays_;
};

}  // namespace graphtap::arrays
