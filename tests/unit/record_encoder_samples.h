// Encoder samples: what the encoder makes of the records of observations.h, with every field set,
// beside what it must decode to. Owner: the test. Values, no failure.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "interpose/record/encoder.h"

namespace graphtap::record {

struct Sample {
  std::string bytes;
  std::string expected;  // text protobuf of the Entry
};

// Of what is appended to others.
template <typename... Values>
std::string Encoded(const Values&... values) {
  std::string body = "of the one before", messages;
  Encode(values..., &body, &messages);
  return messages;
}

inline Site FullSite() {
  return {.executable = 1,
          .graph = GraphId{2},
          .node = 3,
          .role = Role::kSource,
          .parameter = 4,
          .offset = 5,
          .address = 6,
          .bytes = 1ull << 33,
          .exact = true,
          .grade = Grade::kOp,
          .dtype = 8,
          .hash = true,
          .digest = true,
          .copy = true,
          .copy_bytes = 1ull << 34,
          .rules = {0, 300},
          .op = 0};
}

inline Statistics FullStatistics() {
  return {.elements = 1ull << 33,
          .finite = 2,
          .nan = 3,
          .positive_infinity = 4,
          .negative_infinity = 5,
          .zero = 6,
          .minimum = -1.5,
          .maximum = 0x1p100,
          .mean = 0.25,
          .deviation = 0.5,
          .l2 = 3.0};
}

inline std::vector<Sample> FullPlans() {
  Site cut = FullSite();
  cut.exact = false;
  const Shadow shadow{.executable = 1,
                      .skip = 2,
                      .error = 3,
                      .sites = 4,
                      .probes = 5,
                      .overlaps_lost = 6,
                      .device_bytes = 1ull << 33,
                      .slot_bytes = 1ull << 34,
                      .duration_ns = 9,
                      .time_ns = 10,
                      .in_place = true};
  const Refusal refusal{.executable = 1,
                        .graph = GraphId{2},
                        .node = 3,
                        .role = Role::kDestination,
                        .parameter = 4,
                        .offset = 5,
                        .bytes = 1ull << 33,
                        .reason = 7,
                        .rules = {8, 0},
                        .op = 9};
  const FailedElement element{.index = 1ull << 33,
                              .coordinates = {2, 1ull << 34},
                              .expected = "ab",
                              .observed = std::string("c\0", 2),
                              .dtype = 3};
  return {
      {Encode(SiteId{7}, FullSite()),
       R"(site { id: 7 executable: 1 graph: 2 node: 3 role: ROLE_SOURCE parameter: 4 offset: 5
                 address: 6 bytes: 8589934592 grade: GRADE_OP dtype: 8 hash: true digest: true
                 copy: true copy_bytes: 17179869184 rules: [0, 300] version: 1 op: 0 })"},
      {Encode(SiteId{7}, cut),
       R"(site { id: 7 executable: 1 graph: 2 node: 3 role: ROLE_SOURCE parameter: 4 offset: 5
                 address: 6 cut_bytes: 8589934592 grade: GRADE_OP dtype: 8 hash: true digest: true
                 copy: true copy_bytes: 17179869184 rules: [0, 300] version: 1 op: 0 })"},
      {Encode(shadow),
       R"(shadow { executable: 1 skip: 2 error: 3 sites: 4 probes: 5 overlaps_lost: 6
                   device_bytes: 8589934592 slot_bytes: 17179869184 duration_ns: 9 time_ns: 10
                   in_place: true })"},
      {Encode(refusal),
       R"(refusal { executable: 1 graph: 2 node: 3 role: ROLE_DESTINATION parameter: 4 offset: 5
                    bytes: 8589934592 reason: 7 rules: [8, 0] op: 9 })"},
      {Encode(CheckFailure{.site = SiteId{1},
                           .replay = 1ull << 33,
                           .rule = 2,
                           .element = element,
                           .mismatches = 4,
                           .compared = 5}),
       R"(check_failure { site: 1 replay: 8589934592 rule: 2 dtype: 3 element: 8589934592
                          coordinates: [2, 17179869184] expected: "ab" observed: "c\000"
                          mismatches: 4 compared: 5 })"},
      {Encode(CheckFailure{.expected_hash = 1, .observed_hash = 1ull << 63}),
       R"(check_failure { site: 0 replay: 0 rule: 0 expected_hash: 1
                          observed_hash: 9223372036854775808 })"},
  };
}

inline std::vector<Sample> FullObservations() {
  std::vector<Sample> samples = FullPlans();
  const Observation observation{.site = SiteId{1},
                                .replay = 1ull << 40,
                                .hash = 0xffff'ffff'ffff'ffff,
                                .statistics = FullStatistics(),
                                .payload = PayloadId{1ull << 35},
                                .payload_bytes = 1ull << 33};
  samples.push_back({Encode(observation),
                     R"(observation { site: 1 replay: 1099511627776 hash: 18446744073709551615
                        statistics { elements: 8589934592 finite: 2 nan: 3 positive_infinity: 4
                                     negative_infinity: 5 zero: 6 minimum: -1.5
                                     maximum: 1.2676506002282294e30 mean: 0.25 deviation: 0.5
                                     l2: 3 }
                        payload: 34359738368 payload_bytes: 8589934592 })"});
  samples.push_back(
      {Encode(4, RuleCounters::Counts{1, 2, 3, 4, 1ull << 33}),
       R"(rule_counts { rule: 4 requested: 1 planned: 2 refused: 3 observed: 4 lost: 8589934592 })"});
  samples.push_back({Encode(4, RuleCounters::Counts{1, 2, 3, 4, 5, 0, 1ull << 33, 7}),
                     R"(rule_counts { rule: 4 requested: 1 planned: 2 refused: 3 observed: 4 lost: 5
                                      passed: 0 failed: 8589934592 impossible: 7 })"});
  const std::vector<std::byte> bytes = {std::byte{0}, std::byte{255}};
  samples.push_back({Encode(PayloadId{1}, 2, bytes),
                     R"(payload_piece { payload: 1 offset: 2 bytes: "\000\377" })"});
  return samples;
}

}  // namespace graphtap::record
