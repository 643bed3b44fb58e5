// Feed: takes values from the front of a fuzzed input; behind its end all is zero, so that every
// input means something. Owner: the target; the input outlives it. Threads: one. No failure. Units:
// bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace graphtap::fuzz {

class Feed {
 public:
  explicit Feed(std::string_view input) : rest_(input) {}

  bool empty() const { return rest_.empty(); }

  std::uint8_t Byte() { return static_cast<std::uint8_t>(Number(1)); }

  // Little-endian.
  std::uint64_t Number(std::size_t size) {
    std::uint64_t value = 0;
    const auto bytes = Bytes(size);
    for (std::size_t i = bytes.size(); i-- > 0;) {
      value = value << 8 | static_cast<unsigned char>(bytes[i]);
    }
    return value;
  }

  // At most `size`.
  std::string_view Bytes(std::size_t size) {
    const auto taken = rest_.substr(0, size);
    rest_.remove_prefix(taken.size());
    return taken;
  }

  // Up to the next `end`, which goes too; all that is left without one.
  std::string_view Until(char end) {
    const auto taken = rest_.substr(0, rest_.find(end));
    rest_.remove_prefix(std::min(taken.size() + 1, rest_.size()));
    return taken;
  }

  std::string_view Rest() { return Bytes(rest_.size()); }

 private:
  std::string_view rest_;
};

}  // namespace graphtap::fuzz
