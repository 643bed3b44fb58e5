// Observations: what probes are planned, made, refused, and what they saw, beside the records of
// events.h. The same rules hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpose/record/records.h"

namespace graphtap::record {

enum class SiteId : std::uint32_t {};
enum class PayloadId : std::uint64_t {};

// Place where a probe observes: an operand of a node of a graph version, in one executable.
// Defined again, with a new id, when address or extent change.
struct Site {
  std::uint32_t executable = 0;  // number
  GraphId graph{};               // the version that `node` counts in
  std::uint32_t node = 0;        // index
  Role role = Role::kArgument;
  std::optional<std::uint32_t> parameter{}, offset{};
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;  // the extent: what a hash or digest covers
  bool exact = false;       // else cut
  Grade grade = Grade::kScanned;
  std::uint32_t dtype = 0;                          // graphtap::Dtype; 0: unknown
  bool hash = false, digest = false, copy = false;  // the actions of all rules that match
  std::uint64_t copy_bytes = 0;                     // how many of the bytes are copied
  std::vector<std::uint32_t> rules{};               // indices in the specification
  std::optional<std::uint32_t> op{};                // as in Operand
};

struct Statistics {
  std::uint64_t elements = 0, finite = 0, nan = 0, positive_infinity = 0, negative_infinity = 0,
                zero = 0;
  std::optional<double> minimum{}, maximum{}, mean{}, deviation{},
      l2{};  // of finite elements; none: absent
};

struct Observation {
  SiteId site{};
  std::uint64_t replay = 0;
  std::optional<std::uint64_t> hash{};
  std::optional<Statistics> statistics{};
  std::optional<PayloadId> payload{};
  std::uint64_t payload_bytes = 0;
};

// The shadow of an executable was made, or cannot be.
struct Shadow {
  std::uint32_t executable = 0;
  std::optional<std::uint32_t> skip{};  // proto/lists/skips.inc: why there is none
  std::uint32_t error = 0;              // CUresult, where a call failed
  std::uint32_t sites = 0, probes = 0;  // observed places; nodes added
  std::uint32_t overlaps_lost = 0;      // programmatic edges that became full ones
  std::uint64_t device_bytes = 0;       // estimate of the executable's memory
  std::uint64_t slot_bytes = 0;
  std::uint64_t duration_ns = 0;
  std::uint64_t time_ns = 0;
  bool in_place = false;  // the probes are in the job's own graph, in every replay
};

// A selected site that is not observed.
struct Refusal {
  std::uint32_t executable = 0;
  GraphId graph{};
  std::uint32_t node = 0;
  Role role = Role::kArgument;
  std::optional<std::uint32_t> parameter{}, offset{};
  std::uint64_t bytes = 0;
  std::uint32_t reason = 0;  // proto/lists/skips.inc
  std::vector<std::uint32_t> rules{};
  std::optional<std::uint32_t> op{};  // as in Operand
};

struct FailedElement {
  std::uint64_t index = 0;
  std::vector<std::uint64_t> coordinates{};
  std::string expected{}, observed{};  // bytes
  std::uint32_t dtype = 0;
};

// The first check of a rule that failed at a site.
struct CheckFailure {
  SiteId site{};
  std::uint64_t replay = 0;
  std::uint32_t rule = 0;
  std::optional<FailedElement> element{};  // else hashes were compared
  std::uint64_t mismatches = 0, compared = 0;
  std::uint64_t expected_hash = 0, observed_hash = 0;
};

// What became of a rule, counted in sites (the first three) and in observations (the others).
enum class RuleCount : std::uint8_t {
  kRequested,
  kPlanned,
  kRefused,
  kObserved,
  kLost,
  kPassed,  // checks
  kFailed,
  kImpossible,
};

}  // namespace graphtap::record
