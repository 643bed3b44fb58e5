// Comparison of two observations of one place. The order of checks: metadata, then hashes, then the
// bytes that were copied, streamed from the files. What cannot be decided is inconclusive, never a
// mismatch: extents that are cut, values that were not copied where only a tolerance could tell.
// Owner of the comparer: the comparison of the runs. Threads: one. Failure: bytes that cannot be
// read count as not copied. Units: elements, bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "analyzer/model/payload_reader.h"
#include "proto/arrays/metrics.h"

namespace graphtap::tensors {

enum class Status : std::uint8_t { kMatch, kInconclusive, kMismatch };  // the worse, the greater
enum class Kind : std::uint8_t {
  kMatch,
  kValue,
  kMetadata,
  kReferenceOnly,
  kCandidateOnly,
  kPayload,
};

struct Comparison {
  Status status = Status::kMatch;
  Kind kind = Kind::kMatch;
  std::string reason;
  const model::Observation* reference = nullptr;  // null with kCandidateOnly
  const model::Observation* candidate = nullptr;
  bool unconfirmed = false;            // a mismatch of what only looks like an operand
  Dtype dtype = Dtype::kUnknown;       // in which it was compared
  std::optional<std::uint64_t> total;  // elements of the place; bytes without a type
  std::optional<std::uint64_t> mismatches;
  std::optional<arrays::Metrics> metrics;  // of the elements that were copied
};

class ObservationComparer {
 public:
  ObservationComparer(model::PayloadReader reference, model::PayloadReader candidate,
                      const arrays::Tolerance& tolerance)
      : reference_(std::move(reference)), candidate_(std::move(candidate)), tolerance_(tolerance) {}

  Comparison Compare(const model::Observation& reference, const model::Observation& candidate);

 private:
  bool HaveSameMetadata(Comparison* result) const;
  bool DecideByHash(Comparison* result);
  void DecideByBytes(Comparison* result);
  std::optional<arrays::Metrics> CompareBytes(const Comparison& pair, std::uint64_t bytes);

  model::PayloadReader reference_, candidate_;
  arrays::Tolerance tolerance_;
};

}  // namespace graphtap::tensors
