// Operator node: an operator that ran outside of captures, where a node of a graph stands else: a
// kind that the driver does not have. Constants. No units.
#pragma once

#include <cstdint>

namespace graphtap {

// Beside the numbers of CUgraphNodeType.
inline constexpr std::uint32_t kOperatorNode = 64;
inline constexpr char kOperatorNodeName[] = "operator";

}  // namespace graphtap
