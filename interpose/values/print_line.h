// PrintLine: the values of one observation as one line: the first and last elements as numpy prints
// them, and counts and measures of all. Fed in pieces, in order. Owner: an arrival's actions.
// Threads: one. Failure: may throw bad_alloc. Units: bytes, elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "proto/arrays/array.h"
#include "proto/dtype.h"

namespace graphtap::values {

class PrintLine {
 public:
  // kUnknown: bytes, in hexadecimal.
  PrintLine(Dtype dtype, std::uint64_t bytes);

  // The next bytes; all but the last piece hold whole elements.
  void Add(std::span<const std::byte> piece);

  // "float32 (5000) [0.1 0.2 0.3 ... 7. 8. 9.] nan 0, inf 0, min 0.1, max 9.0, mean 4.5"
  std::string Text() const;

 private:
  void Keep(std::span<const std::byte> piece);
  std::string Values() const;
  std::string Summary() const;

  const Dtype dtype_;
  const std::size_t size_;  // of an element
  const std::uint64_t elements_;
  std::uint64_t at_ = 0;                       // elements that came
  std::vector<arrays::Element> first_, last_;  // at most kEdge
  std::uint64_t nan_ = 0, infinite_ = 0, finite_ = 0;
  double least_ = 0, most_ = 0, sum_ = 0;  // of the finite ones
};

}  // namespace graphtap::values
