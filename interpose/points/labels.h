// Labels: the texts of marks and ranges as points are called, each once: from its second time on a
// text has its number behind it. Owner: Points. Threads: any; its own lock, for nanoseconds.
// Failure: 0 from Next(): there are too many texts; may throw bad_alloc. Units: bytes.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace graphtap::points {

class Labels {
 public:
  // Of a longer text the first bytes stand for it.
  static constexpr std::size_t kMostBytes = 256;
  static constexpr std::size_t kMostTexts = 1u << 16;

  // Which time it is that this text comes, from 1 on.
  std::uint64_t Next(std::string_view text);

  // "step", "step#2". A text that itself ends as labels do ("a#2", "a:begin") always has its
  // number, so that no two labels are equal.
  static std::string Of(std::string_view text, std::uint64_t time);

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, std::uint64_t> times_;
};

}  // namespace graphtap::points
