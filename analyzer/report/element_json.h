// ElementJson: one element of an array as JSON. Pure function, any thread, no failure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "proto/arrays/array.h"

namespace graphtap::report {

// As a number where JSON has one, else as the text that Python writes.
nlohmann::ordered_json ElementJson(const arrays::Element& element, Dtype dtype);

}  // namespace graphtap::report
