// What probes are planned, made, refused, and what they saw.
#include <protozero/varint.hpp>

#include "interpose/record/encoder.h"
#include "interpose/record/entry_writer.h"
#include "proto/digest.h"

namespace graphtap::record {
namespace {

template <typename Field>
void AddNumbers(Builder<Field>& to, Field field, const std::vector<std::uint32_t>& numbers) {
  to.add_packed_uint32(field, numbers.begin(), numbers.end());
}

void AddStatistics(Writer& to, FieldNumber field, const Statistics& statistics) {
  using F = StatisticsField;
  Builder<F> out(to, field);
  out.add_uint64(F::kElements, statistics.elements);
  out.add_uint64(F::kFinite, statistics.finite);
  out.add_uint64(F::kNan, statistics.nan);
  out.add_uint64(F::kPositiveInfinity, statistics.positive_infinity);
  out.add_uint64(F::kNegativeInfinity, statistics.negative_infinity);
  out.add_uint64(F::kZero, statistics.zero);
  const auto add = [&](F measure, std::optional<double> value) {
    if (value) out.add_double(measure, *value);
  };
  add(F::kMinimum, statistics.minimum);
  add(F::kMaximum, statistics.maximum);
  add(F::kMean, statistics.mean);
  add(F::kDeviation, statistics.deviation);
  add(F::kL2, statistics.l2);
}

}  // namespace

std::string Encode(SiteId id, const Site& site) {
  using F = SiteField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kId, Number(id));
  out.add_uint32(F::kExecutable, site.executable);
  out.add_uint32(F::kGraph, Number(site.graph));
  out.add_uint32(F::kNode, site.node);
  out.add_enum(F::kRole, static_cast<std::int32_t>(site.role));
  AddOptional(out, F::kParameter, site.parameter);
  AddOptional(out, F::kOffset, site.offset);
  out.add_fixed64(F::kAddress, site.address);
  out.add_uint64(site.exact ? F::kBytes : F::kCutBytes, site.bytes);
  out.add_enum(F::kGrade, static_cast<std::int32_t>(site.grade));
  out.add_uint32(F::kDtype, site.dtype);
  out.add_bool(F::kHash, site.hash);
  out.add_bool(F::kDigest, site.digest);
  out.add_bool(F::kCopy, site.copy);
  out.add_uint64(F::kCopyBytes, site.copy_bytes);
  AddNumbers(out, F::kRules, site.rules);
  out.add_uint32(F::kVersion, kDigestVersion);
  AddOptional(out, F::kOp, site.op);
  return Delimited(EntryField::kSite, body);
}

std::string Encode(const Observation& observation) {
  using F = ObservationField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kSite, Number(observation.site));
  out.add_uint64(F::kReplay, observation.replay);
  if (observation.hash) out.add_fixed64(F::kHash, *observation.hash);
  if (observation.statistics) AddStatistics(out, Number(F::kStatistics), *observation.statistics);
  if (observation.payload) {
    out.add_uint64(F::kPayload, static_cast<std::uint64_t>(*observation.payload));
    out.add_uint64(F::kPayloadBytes, observation.payload_bytes);
  }
  return Delimited(EntryField::kObservation, body);
}

std::string Encode(const Shadow& shadow) {
  using F = ShadowField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kExecutable, shadow.executable);
  AddOptional(out, F::kSkip, shadow.skip);
  out.add_uint32(F::kError, shadow.error);
  out.add_uint32(F::kSites, shadow.sites);
  out.add_uint32(F::kProbes, shadow.probes);
  out.add_uint32(F::kOverlapsLost, shadow.overlaps_lost);
  out.add_uint64(F::kDeviceBytes, shadow.device_bytes);
  out.add_uint64(F::kSlotBytes, shadow.slot_bytes);
  out.add_uint64(F::kDurationNs, shadow.duration_ns);
  out.add_fixed64(F::kTimeNs, shadow.time_ns);
  if (shadow.in_place) out.add_bool(F::kInPlace, true);
  return Delimited(EntryField::kShadow, body);
}

std::string Encode(const Refusal& refusal) {
  using F = RefusalField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kExecutable, refusal.executable);
  out.add_uint32(F::kGraph, Number(refusal.graph));
  out.add_uint32(F::kNode, refusal.node);
  out.add_enum(F::kRole, static_cast<std::int32_t>(refusal.role));
  AddOptional(out, F::kParameter, refusal.parameter);
  AddOptional(out, F::kOffset, refusal.offset);
  out.add_uint64(F::kBytes, refusal.bytes);
  out.add_uint32(F::kReason, refusal.reason);
  AddNumbers(out, F::kRules, refusal.rules);
  AddOptional(out, F::kOp, refusal.op);
  return Delimited(EntryField::kRefusal, body);
}

std::string Encode(const CheckFailure& failure) {
  using F = CheckFailureField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kSite, Number(failure.site));
  out.add_uint64(F::kReplay, failure.replay);
  out.add_uint32(F::kRule, failure.rule);
  if (failure.element) {
    const FailedElement& element = *failure.element;
    out.add_uint32(F::kDtype, element.dtype);
    out.add_uint64(F::kElement, element.index);
    out.add_packed_uint64(F::kCoordinates, element.coordinates.begin(), element.coordinates.end());
    out.add_bytes(F::kExpected, element.expected);
    out.add_bytes(F::kObserved, element.observed);
    out.add_uint64(F::kMismatches, failure.mismatches);
    out.add_uint64(F::kCompared, failure.compared);
  } else {
    out.add_fixed64(F::kExpectedHash, failure.expected_hash);
    out.add_fixed64(F::kObservedHash, failure.observed_hash);
  }
  return Delimited(EntryField::kCheckFailure, body);
}

std::string Encode(std::uint32_t rule, const RuleCounters::Counts& counts) {
  using F = RuleCountsField;
  const auto count = [&](RuleCount what) { return counts[static_cast<std::size_t>(what)]; };
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kRule, rule);
  out.add_uint64(F::kRequested, count(RuleCount::kRequested));
  out.add_uint64(F::kPlanned, count(RuleCount::kPlanned));
  out.add_uint64(F::kRefused, count(RuleCount::kRefused));
  out.add_uint64(F::kObserved, count(RuleCount::kObserved));
  out.add_uint64(F::kLost, count(RuleCount::kLost));
  const std::uint64_t passed = count(RuleCount::kPassed), failed = count(RuleCount::kFailed);
  const std::uint64_t impossible = count(RuleCount::kImpossible);
  if (passed + failed + impossible > 0) {
    out.add_uint64(F::kPassed, passed);
    out.add_uint64(F::kFailed, failed);
    out.add_uint64(F::kImpossible, impossible);
  }
  return Delimited(EntryField::kRuleCounts, body);
}

// What stands before the bytes is built first, so that these are copied once only.
std::string Encode(PayloadId payload, std::uint64_t offset, std::span<const std::byte> bytes) {
  using F = PayloadPieceField;
  std::string head;
  Builder<F> out(head);
  out.add_uint64(F::kPayload, static_cast<std::uint64_t>(payload));
  out.add_uint64(F::kOffset, offset);
  const auto tag = [](FieldNumber field) {
    return field << 3 | static_cast<FieldNumber>(protozero::pbf_wire_type::length_delimited);
  };
  protozero::add_varint_to_buffer(&head, tag(Number(F::kBytes)));
  protozero::add_varint_to_buffer(&head, bytes.size());
  std::string entry_head;
  protozero::add_varint_to_buffer(&entry_head, tag(Number(EntryField::kPayloadPiece)));
  protozero::add_varint_to_buffer(&entry_head, head.size() + bytes.size());
  std::string delimited;
  delimited.reserve(protozero::max_varint_length + entry_head.size() + head.size() + bytes.size());
  protozero::add_varint_to_buffer(&delimited, entry_head.size() + head.size() + bytes.size());
  delimited += entry_head;
  delimited += head;
  delimited.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return delimited;
}

}  // namespace graphtap::record
