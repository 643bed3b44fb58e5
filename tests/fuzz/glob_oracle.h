// Glob oracle: what spec::Matches should say, by another way: the set of the places that a prefix
// of the pattern can reach in the text, element by element.
// Pure, any thread, no failure. Time and memory grow with the product of the sizes. No units.
#pragma once

#include <string_view>

namespace graphtap::fuzz {

bool OracleMatches(std::string_view pattern, std::string_view text);

}  // namespace graphtap::fuzz
