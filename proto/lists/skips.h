// Skips: the reasons for which a graph has no shadow or a selected site is not observed, from
// skips.inc. Both halves use the numbers; the analyzer also the texts. Constants, no failure.
#pragma once

#include <array>
#include <cstdint>

namespace graphtap {

enum class Skip : std::uint32_t {
#define GT_SKIP(number, name, why, advice) name = number,
#include "proto/lists/skips.inc"
#undef GT_SKIP
};

struct SkipInfo {
  Skip skip;
  const char* name;
  const char* why;
  const char* advice;
};

inline constexpr auto kSkips = std::to_array<SkipInfo>({
#define GT_SKIP(number, name, why, advice) {Skip::name, #name, why, advice},
#include "proto/lists/skips.inc"
#undef GT_SKIP
});

}  // namespace graphtap
