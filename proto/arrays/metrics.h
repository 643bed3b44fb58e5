// Metrics: how two arrays of one type differ, element by element, fed in pieces of any size, so
// that arrays larger than memory can be compared. Owner: the comparison. Threads: one. Failure:
// none; a number that cannot be told (nullopt) is one that is not finite. Units: elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>

#include "proto/arrays/array.h"
#include "proto/arrays/closeness.h"
#include "proto/dtype.h"

namespace graphtap::arrays {

struct Mismatch {
  std::uint64_t index = 0;
  Element reference{}, candidate{};
};

struct Metrics {
  std::uint64_t mismatches = 0;
  std::uint64_t compared = 0;
  // Over all elements, not only those that mismatch. Of integers the maximum is exact.
  std::variant<std::monostate, std::uint64_t, double> max_absolute_error;
  std::optional<double> max_relative_error, mean_absolute_error;
  std::optional<Mismatch> first_mismatch;

  double fraction() const {
    return compared == 0 ? 0 : static_cast<double>(mismatches) / static_cast<double>(compared);
  }
};

class MetricsBuilder {
 public:
  // kUnknown: bytes.
  MetricsBuilder(Dtype dtype, const Tolerance& tolerance);

  // As many whole elements of both, which follow those of the last call.
  void Add(std::span<const std::byte> reference, std::span<const std::byte> candidate);

  Metrics Result() const;

 private:
  template <typename Value, typename Load>
  void AddFloats(std::span<const std::byte> reference, std::span<const std::byte> candidate,
                 const Load& load);
  template <typename Integer>
  void AddIntegers(std::span<const std::byte> reference, std::span<const std::byte> candidate);
  void NoteMismatch(std::uint64_t index, const std::byte* reference, const std::byte* candidate);
  void NoteError(double difference, double magnitude);

  Dtype dtype_;
  std::size_t size_;  // of an element
  Tolerance tolerance_;
  Metrics metrics_;
  bool integers_;
  bool all_finite_ = true;          // every difference so far
  double max_error_ = 0, sum_ = 0;  // of finite differences
  std::uint64_t max_integer_error_ = 0;
  long double integer_sum_ = 0;
  double max_relative_ = 0;
};

}  // namespace graphtap::arrays
