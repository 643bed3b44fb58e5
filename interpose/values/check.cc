#include "interpose/values/check.h"

#include <algorithm>
#include <utility>

#include "proto/arrays/array_text.h"

namespace graphtap::values {
namespace {

constexpr arrays::Tolerance kTolerance = {.mode = arrays::Mode::kAllclose};

// Of an element, by the axes of the shape; empty for fewer than two.
std::vector<std::uint64_t> Coordinates(std::uint64_t index,
                                       const std::vector<std::uint64_t>& shape) {
  if (shape.size() < 2) return {};
  std::vector<std::uint64_t> coordinates(shape.size());
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    if (shape[axis] == 0) return {};
    coordinates[axis] = index % shape[axis];
    index /= shape[axis];
  }
  return coordinates;
}

std::string BytesOf(const arrays::Element& element, Dtype dtype) {
  const auto* bytes = reinterpret_cast<const char*>(element.data());
  return {bytes, std::max<std::size_t>(DtypeBytes(dtype), 1)};
}

std::string HashText(std::uint64_t hash) { return arrays::Hex(hash, 16); }

}  // namespace

Check::Check(Reference& reference, const Watched& watched, const Arrival& arrival)
    : reference_(reference),
      arrival_(arrival),
      expected_(reference.Find(watched, arrival.replay)),
      dtype_(arrival.dtype == Dtype::kUnknown ? expected_.dtype : arrival.dtype) {
  why_not_ = WhyNotComparable();
  if (!why_not_.empty()) return;
  to_compare_ = std::min(expected_.bytes, arrival.bytes);
  if (to_compare_ > 0 || !expected_.hash) builder_.emplace(dtype_, kTolerance);
}

std::string Check::WhyNotComparable() const {
  if (!expected_.why_not.empty()) return expected_.why_not;
  if (expected_.dtype != Dtype::kUnknown && expected_.dtype != dtype_) {
    return "its elements are " + std::string(DtypeName(dtype_)) + ", the reference's " +
           std::string(DtypeName(expected_.dtype));
  }
  const bool fits = expected_.extent == arrival_.bytes ||
                    (expected_.of_user && !arrival_.exact && expected_.extent < arrival_.bytes);
  if (fits) return "";
  return "it has " + std::to_string(arrival_.bytes) + " bytes" +
         (arrival_.exact ? "" : " at most") + ", the reference " + std::to_string(expected_.extent);
}

void Check::Add(std::span<const std::byte> piece, std::span<std::byte> scratch) {
  if (!why_not_.empty() || at_ >= to_compare_) return;
  const std::uint64_t size = std::min<std::uint64_t>(piece.size(), to_compare_ - at_);
  const auto wanted = scratch.first(size);
  if (!reference_.Read(expected_, at_, wanted)) {
    why_not_ = "the reference's bytes cannot be read";
    return;
  }
  builder_->Add(wanted, piece.first(size));
  at_ += size;
}

Outcome Check::Impossible(std::string why) {
  why_not_ = std::move(why);
  return Outcome::kImpossible;
}

Outcome Check::Conclude(std::optional<std::uint64_t> hash) {
  if (!why_not_.empty()) return Outcome::kImpossible;
  bool equal = false;
  if (builder_) {
    if (at_ < to_compare_) return Impossible("its bytes were not fetched");
    metrics_ = builder_->Result();
    equal = metrics_.mismatches == 0;
  } else {
    if (!hash) return Impossible("it has no hash");
    hash_ = hash;
    equal = *hash == *expected_.hash;
  }
  if (equal) return Outcome::kPassed;
  if (expected_.of_user || (arrival_.exact && expected_.exact)) return Outcome::kFailed;
  return Impossible("it differs, but its extent is only a bound: the bytes may not be its own");
}

record::CheckFailure Check::Failure() const {
  record::CheckFailure failure;
  if (const auto& place = metrics_.first_mismatch) {
    auto& element = failure.element.emplace();
    element.index = place->index;
    element.coordinates = Coordinates(place->index, expected_.shape);
    element.expected = BytesOf(place->reference, dtype_);
    element.observed = BytesOf(place->candidate, dtype_);
    element.dtype = static_cast<std::uint32_t>(dtype_);
    failure.mismatches = metrics_.mismatches;
    failure.compared = metrics_.compared;
  }
  failure.expected_hash = expected_.hash.value_or(0);
  failure.observed_hash = hash_.value_or(0);
  return failure;
}

std::string Check::FailureText() const {
  const auto& place = metrics_.first_mismatch;
  if (!place) {
    return "its hash is " + HashText(hash_.value_or(0)) + ", expected " +
           HashText(expected_.hash.value_or(0));
  }
  std::string where;
  for (const std::uint64_t axis : Coordinates(place->index, expected_.shape)) {
    where += (where.empty() ? " (" : ", ") + std::to_string(axis);
  }
  if (!where.empty()) where += ')';
  return "element " + std::to_string(place->index) + where + " is " +
         arrays::ElementText(place->candidate, dtype_) + ", expected " +
         arrays::ElementText(place->reference, dtype_) + "; " +
         std::to_string(metrics_.mismatches) + " of " + std::to_string(metrics_.compared) +
         " elements differ";
}

}  // namespace graphtap::values
