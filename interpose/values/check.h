// Check: one comparison of arriving values with what a reference expects, fed in pieces, in order:
// elements by the rule of `tensors compare` with its own tolerances, hashes where there are no
// elements. Owner: an arrival's actions. Threads: one. Failure: what cannot be compared is
// kImpossible, never kFailed. May throw bad_alloc. Units: bytes, elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "interpose/values/reference.h"
#include "proto/arrays/metrics.h"

namespace graphtap::values {

enum class Outcome : std::uint8_t { kPassed, kFailed, kImpossible };

class Check {
 public:
  Check(Reference& reference, const Watched& watched, const Arrival& arrival);

  // The next bytes of the site; `scratch` is at least as long.
  void Add(std::span<const std::byte> piece, std::span<std::byte> scratch);

  // When all have come. `hash`: of the whole site.
  Outcome Conclude(std::optional<std::uint64_t> hash);

  // Of kImpossible.
  const std::string& why_not() const { return why_not_; }
  // Of kFailed: without rule, site and replay.
  record::CheckFailure Failure() const;
  // The same in words: "element 3 (1, 0) is 5.0, expected 4.0; 1 of 4 elements differ".
  std::string FailureText() const;

 private:
  std::string WhyNotComparable() const;
  Outcome Impossible(std::string why);

  Reference& reference_;
  const Arrival arrival_;
  const Expected expected_;
  Dtype dtype_ = Dtype::kUnknown;
  std::uint64_t to_compare_ = 0, at_ = 0;  // bytes
  std::optional<arrays::MetricsBuilder> builder_;
  arrays::Metrics metrics_;
  std::optional<std::uint64_t> hash_;
  std::string why_not_;
};

}  // namespace graphtap::values
