// Align: which elements of two sequences correspond, as the longest common subsequence (Myers, in
// linear memory). Pure function, any thread, no failure. Time: (n + m) times the number of elements
// that do not correspond.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace graphtap::tensors {

using IndexPair = std::pair<std::uint32_t, std::uint32_t>;

// Pairs of equal elements, (index in `a`, index in `b`), both ascending, as many as possible.
std::vector<IndexPair> Align(std::span<const std::uint32_t> a, std::span<const std::uint32_t> b);

}  // namespace graphtap::tensors
