#include "proto/arrays/array_file.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proto/arrays/npy.h"
#include "proto/arrays/safetensors.h"

namespace graphtap::arrays {
namespace {

constexpr std::string_view kNpy = ".npy", kSafetensors = ".safetensors";

std::vector<std::byte> ReadHead(const frames::ByteSource& source, std::uint64_t bytes) {
  std::vector<std::byte> head(std::min(bytes, source.size()));
  head.resize(source.Read(0, reinterpret_cast<char*>(head.data()), head.size()));
  return head;
}

std::optional<std::vector<Array>> ReadArrays(const frames::ByteSource& source, bool npy,
                                             std::string* error) {
  if (npy) {
    auto array = ParseNpy(ReadHead(source, kMostNpyHead), source.size(), error);
    if (!array) return std::nullopt;
    return std::vector<Array>{*std::move(array)};
  }
  const auto bytes = SafetensorsHead(ReadHead(source, 8), source.size(), error);
  if (!bytes) return std::nullopt;
  return ParseSafetensors(ReadHead(source, *bytes), source.size(), error);
}

}  // namespace

bool IsArrayFile(std::string_view path) {
  return path.ends_with(kNpy) || path.ends_with(kSafetensors);
}

std::optional<ArrayFile> ArrayFile::Open(const std::string& path, std::string* error) {
  ArrayFile file;
  int code = 0;
  file.source_ = frames::OpenFile(path, &code);
  if (file.source_ == nullptr) {
    *error = path + ": " + std::strerror(code);
    return std::nullopt;
  }
  std::string why;
  auto arrays = ReadArrays(*file.source_, path.ends_with(kNpy), &why);
  if (!arrays) {
    *error = path + ": " + (why.empty() ? "no memory" : why);
    return std::nullopt;
  }
  file.arrays_ = *std::move(arrays);
  return file;
}

const Array* ArrayFile::Find(std::string_view name) const {
  const auto found = std::find_if(arrays_.begin(), arrays_.end(),
                                  [&](const Array& array) { return array.name == name; });
  if (found != arrays_.end()) return &*found;
  return arrays_.size() == 1 ? &arrays_.front() : nullptr;
}

bool ArrayFile::Read(const Array& array, std::uint64_t offset, std::span<std::byte> to) const {
  return source_->Read(array.offset + offset, reinterpret_cast<char*>(to.data()), to.size()) ==
         to.size();
}

}  // namespace graphtap::arrays
