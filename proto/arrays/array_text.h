// ArrayText: an array as numpy 2.4 prints it, by default with its own options: eight digits behind
// the point, lines of 75 columns, of more than 1,000 elements the first and last three along each
// axis.
// bfloat16 and float8, which numpy lacks, are printed as float32. Only the elements that are shown
// are read. Pure function, any thread, no failure.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "proto/arrays/array.h"
#include "proto/dtype.h"

namespace graphtap::arrays {

using ElementReader = std::function<Element(std::uint64_t index)>;

// numpy's own: threshold, edgeitems, linewidth.
struct TextOptions {
  std::uint64_t threshold = 1000, edge = 3;
  std::size_t line_width = 75;
};

// `shape`: at least one axis. `dtype`: known.
std::string ArrayText(Dtype dtype, const std::vector<std::uint64_t>& shape,
                      const ElementReader& read, const TextOptions& options = {});

// One element as Python writes it: "4.0", "nan", "(1+2j)", "True".
std::string ElementText(const Element& element, Dtype dtype);

// In hexadecimal, with at least so many digits.
std::string Hex(std::uint64_t value, std::size_t digits);

// Bytes of no known type, sixteen a line, each line with the place of its first.
std::string HexText(std::uint64_t bytes, const ElementReader& read);

}  // namespace graphtap::arrays
