// Losses: the causes for which something could not be recorded, from losses.inc.
// Both halves use the numbers; the analyzer also the texts. Constants, no failure.
#pragma once

#include <array>
#include <cstdint>

namespace graphtap {

enum class Loss : std::uint32_t {
#define GT_LOSS(number, name, what, advice) name = number,
#include "proto/lists/losses.inc"
#undef GT_LOSS
};

struct LossInfo {
  Loss loss;
  const char* name;
  const char* what;
  const char* advice;
};

inline constexpr auto kLosses = std::to_array<LossInfo>({
#define GT_LOSS(number, name, what, advice) {Loss::name, #name, what, advice},
#include "proto/lists/losses.inc"
#undef GT_LOSS
});

}  // namespace graphtap
