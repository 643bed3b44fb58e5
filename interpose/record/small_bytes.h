// Small bytes: a few bytes that need no memory of their own, or many. Owner: whoever holds them; a
// value. Threads: no sharing. Failure: std::bad_alloc. Units: bytes.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <span>
#include <vector>

namespace graphtap::record {

class SmallBytes {
 public:
  SmallBytes() = default;
  explicit(false) SmallBytes(std::span<const std::byte> bytes) : size_(bytes.size()) {
    if (size_ > few_.size()) {
      many_.assign(bytes.begin(), bytes.end());
    } else if (size_ > 0) {
      std::memcpy(few_.data(), bytes.data(), size_);
    }
  }
  explicit(false) SmallBytes(const std::vector<std::byte>& bytes) : SmallBytes(std::span(bytes)) {}

  const std::byte* data() const { return size_ > few_.size() ? many_.data() : few_.data(); }
  std::size_t size() const { return size_; }

 private:
  std::size_t size_ = 0;
  std::array<std::byte, 8> few_{};
  std::vector<std::byte> many_;
};

}  // namespace graphtap::record
