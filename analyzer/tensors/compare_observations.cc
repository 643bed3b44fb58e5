#include "analyzer/tensors/compare_observations.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_format.h"

namespace graphtap::tensors {
namespace {

constexpr std::uint64_t kChunkBytes = 1u << 20;  // a multiple of the size of every element

bool IsFloat(Dtype dtype) {
  return dtype != Dtype::kUnknown && !(dtype >= Dtype::kInt8 && dtype <= Dtype::kBool);
}

// How many bytes of it are in the file, from its beginning.
std::uint64_t CopiedBytes(const model::Observation& observation) {
  return observation.payload && observation.payload_complete ? observation.payload_bytes : 0;
}

bool IsWhole(const model::Observation& observation) {
  return observation.payload.has_value() && CopiedBytes(observation) >= observation.site->bytes();
}

bool IsCut(const Comparison& pair) {
  return !pair.reference->site->exact() || !pair.candidate->site->exact();
}

void Set(Status status, Kind kind, std::string reason, Comparison* result) {
  result->status = status;
  result->kind = kind;
  result->reason = std::move(reason);
}

const char* ModeName(const arrays::Tolerance& tolerance) {
  return tolerance.mode == arrays::Mode::kExact ? "exact" : "allclose";
}

}  // namespace

Comparison ObservationComparer::Compare(const model::Observation& reference,
                                        const model::Observation& candidate) {
  Comparison result;
  result.reference = &reference;
  result.candidate = &candidate;
  const Dtype dtype = reference.site->dtype;
  result.dtype = dtype == Dtype::kUnknown ? candidate.site->dtype : dtype;
  if (!HaveSameMetadata(&result)) return result;
  const std::uint64_t size = std::max<std::uint64_t>(DtypeBytes(result.dtype), 1);
  if (reference.site->bytes() == candidate.site->bytes()) {
    result.total = reference.site->bytes() / size;
  }
  if (!DecideByHash(&result)) DecideByBytes(&result);
  if (result.status == Status::kMismatch && IsCut(result)) {
    result.status = Status::kInconclusive;
    result.reason += "; its extent is cut, so the bytes may not be its own";
  }
  result.unconfirmed = result.status == Status::kMismatch &&
                       reference.site->record.grade() == Operand::GRADE_SCANNED &&
                       candidate.site->record.grade() == Operand::GRADE_SCANNED;
  return result;
}

bool ObservationComparer::HaveSameMetadata(Comparison* result) const {
  const auto& reference = *result->reference->site;
  const auto& candidate = *result->candidate->site;
  if (reference.bytes() != candidate.bytes() && !IsCut(*result)) {
    Set(Status::kMismatch, Kind::kMetadata,
        absl::StrFormat("%u bytes, then %u", reference.bytes(), candidate.bytes()), result);
    return false;
  }
  if (reference.dtype != candidate.dtype && reference.dtype != Dtype::kUnknown &&
      candidate.dtype != Dtype::kUnknown) {
    Set(Status::kMismatch, Kind::kMetadata,
        absl::StrFormat("%s, then %s", DtypeName(reference.dtype), DtypeName(candidate.dtype)),
        result);
    return false;
  }
  return true;
}

// False: the bytes have to decide.
bool ObservationComparer::DecideByHash(Comparison* result) {
  const auto& reference = *result->reference;
  const auto& candidate = *result->candidate;
  const bool comparable = reference.hash && candidate.hash &&
                          reference.site->bytes() == candidate.site->bytes() &&
                          reference.site->record.version() == candidate.site->record.version();
  if (!comparable || *reference.hash != *candidate.hash) return false;
  const bool whole = IsWhole(reference) && IsWhole(candidate);
  if (tolerance_.mode == arrays::Mode::kAllclose && !tolerance_.equal_nan &&
      IsFloat(result->dtype)) {
    // Equal bytes, but a NaN is close to nothing.
    if (whole) return false;
    const std::uint64_t nan = reference.statistics ? reference.statistics->nan() : 0;
    if (nan > 0) {
      Set(Status::kMismatch, Kind::kValue,
          absl::StrFormat("equal bytes with %u NaN, which equal nothing without --equal-nan", nan),
          result);
      result->mismatches = nan;
      return true;
    }
  }
  Set(Status::kMatch, Kind::kMatch, "identical", result);
  result->mismatches = 0;
  return true;
}

void ObservationComparer::DecideByBytes(Comparison* result) {
  const auto& reference = *result->reference;
  const auto& candidate = *result->candidate;
  const bool hashes = reference.hash && candidate.hash;
  const bool same_extent = reference.site->bytes() == candidate.site->bytes();
  const std::uint64_t copied = std::min(CopiedBytes(reference), CopiedBytes(candidate));
  if (copied > 0) result->metrics = CompareBytes(*result, copied);
  const bool whole = result->metrics && IsWhole(reference) && IsWhole(candidate) && same_extent;
  if (result->metrics && (whole || result->metrics->mismatches > 0)) {
    result->mismatches = result->metrics->mismatches;
    const bool matches = result->metrics->mismatches == 0;
    const bool same_bytes = tolerance_.mode != arrays::Mode::kExact || tolerance_.equal_nan ||
                            !hashes || !same_extent || *reference.hash == *candidate.hash;
    if (matches && !same_bytes) {
      return Set(Status::kMismatch, Kind::kValue, "bytes behind the last whole element differ",
                 result);
    }
    Set(matches ? Status::kMatch : Status::kMismatch, matches ? Kind::kMatch : Kind::kValue,
        absl::StrFormat("%s %s", matches ? "satisfies" : "fails", ModeName(tolerance_)), result);
    if (!whole) {
      result->mismatches.reset();  // of those that were copied; of the others nothing is known
      result->reason += absl::StrFormat(" in the %u bytes that were copied", copied);
    }
    return;
  }
  if (hashes && same_extent && tolerance_.mode == arrays::Mode::kExact) {
    Set(Status::kMismatch, Kind::kValue, "the hashes differ", result);
  } else if (hashes) {
    Set(Status::kInconclusive, Kind::kPayload,
        same_extent ? "the hashes differ, and not all values were copied"
                    : absl::StrFormat("the extents are cut and differ: %u bytes, then %u",
                                      reference.site->bytes(), candidate.site->bytes()),
        result);
  } else if (result->metrics && !reference.hash && !candidate.hash) {
    Set(Status::kMatch, Kind::kMatch,
        absl::StrFormat("satisfies %s in the %u bytes that were copied; no more was asked for",
                        ModeName(tolerance_), copied),
        result);
  } else {
    Set(Status::kInconclusive, Kind::kPayload, "nothing that both runs have decides", result);
  }
}

// The first `bytes` of both. nullopt: they cannot be read.
std::optional<arrays::Metrics> ObservationComparer::CompareBytes(const Comparison& pair,
                                                                 std::uint64_t bytes) {
  arrays::MetricsBuilder builder(pair.dtype, tolerance_);
  std::vector<std::byte> a(std::min(bytes, kChunkBytes)), b(a.size());
  for (std::uint64_t at = 0; at < bytes; at += kChunkBytes) {
    const std::size_t size = std::min(bytes - at, kChunkBytes);
    const std::span<std::byte> left(a.data(), size), right(b.data(), size);
    if (!reference_.Read(*pair.reference->payload, at, left) ||
        !candidate_.Read(*pair.candidate->payload, at, right)) {
      return std::nullopt;
    }
    builder.Add(left, right);
  }
  return builder.Result();
}

}  // namespace graphtap::tensors
