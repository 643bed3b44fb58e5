// Digest: the hash of a tensor's bytes, and statistics of its elements. Made on a GPU, where each
// block leaves a DigestRecord and Combine() joins them, or from bytes in memory by DigestOf().
// Pure functions, any thread. Failure: none. Units: bytes, elements.
// The hash is over lanes of 16 bytes, the last one filled with zeros: each lane is mixed with its
// number, the results are added up in any order, and the sum is finished with the length.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "proto/digest_record.h"
#include "proto/dtype.h"

namespace graphtap {

inline constexpr unsigned kDigestVersion = 1;
inline constexpr std::size_t kDigestLaneBytes = 16;

// The sum over the lanes of `bytes`; they begin at lane `first_lane` of the tensor.
std::uint64_t LaneSum(std::span<const std::byte> bytes, std::uint64_t first_lane = 0) noexcept;

// The hash of a tensor of `length` bytes whose lanes have this sum.
std::uint64_t FinishHash(std::uint64_t sum, std::uint64_t length) noexcept;

// What is known of the finite elements. -0 is zero.
struct FiniteStatistics {
  double minimum = 0, maximum = 0, mean = 0;
  double deviation = 0;  // standard deviation of the population
  double l2 = 0;         // square root of the sum of squares
};

struct TensorStatistics {
  std::uint64_t elements = 0, finite = 0, nan = 0, positive_infinity = 0, negative_infinity = 0,
                zero = 0;
  std::optional<FiniteStatistics> of_finite;  // absent: there is no finite element
};

struct Digest {
  std::uint64_t hash = 0;
  std::optional<TensorStatistics> statistics;  // absent: the type is not known or not real
};

// Of bytes in memory, in double arithmetic. Bytes behind the last whole element count in the hash.
Digest DigestOf(std::span<const std::byte> bytes, Dtype dtype) noexcept;

// Whether Combine() can make statistics: float16, bfloat16, float32.
bool HasRecordStatistics(Dtype dtype) noexcept;

// Of the records of a tensor of `length` bytes, in the order of its blocks. Counts, minimum and
// maximum are exact; mean and l2 are within 1e-6 of the root mean square, the square of the
// deviation within 3e-6 of the mean square.
Digest Combine(std::span<const DigestRecord> records, std::uint64_t length, Dtype dtype) noexcept;

// The record of one block, as a GPU leaves it but for the rounding of its sums: `bytes` begin at
// lane `first_lane`. Without HasRecordStatistics(dtype) all but the hash is zero.
DigestRecord RecordOf(std::span<const std::byte> bytes, std::uint64_t first_lane,
                      Dtype dtype) noexcept;

// A number that orders float32 values as they are; not 0 for what is not NaN. -0 comes before 0.
std::uint32_t OrderedKey(float value) noexcept;
float FromOrderedKey(std::uint32_t key) noexcept;

}  // namespace graphtap
