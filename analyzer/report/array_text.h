// ArrayText: an array as numpy 2.4 prints it, with its default options: eight digits behind the
// point, lines of 75 columns, of more than 1,000 elements the first and last three along each axis.
// bfloat16 and float8, which numpy lacks, are printed as float32. Only the elements that are shown
// are read. Pure function, any thread, no failure.
#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "analyzer/tensors/metrics.h"
#include "proto/dtype.h"

namespace graphtap::report {

using ElementReader = std::function<tensors::Element(std::uint64_t index)>;

// `shape`: at least one axis. `dtype`: known.
std::string ArrayText(Dtype dtype, const std::vector<std::uint64_t>& shape,
                      const ElementReader& read);

// One element as Python writes it: "4.0", "nan", "(1+2j)", "True".
std::string ElementText(const tensors::Element& element, Dtype dtype);

// The same as a number where JSON has one, else as text.
nlohmann::ordered_json ElementJson(const tensors::Element& element, Dtype dtype);

// Bytes of no known type, sixteen a line, each line with the place of its first.
std::string HexText(std::uint64_t bytes, const ElementReader& read);

}  // namespace graphtap::report
