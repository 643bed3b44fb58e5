// Encoder samples with every field at zero, as record_encoder_samples.h has them with all set.
// Owner: the test. Values, no failure.
#pragma once

#include <memory>
#include <vector>

#include "tests/unit/record_encoder_samples.h"

namespace graphtap::record {

inline Node ZeroNode() {
  KernelNode kernel;
  for (int i = 0; i < 3; ++i) kernel.grid[i] = kernel.block[i] = 0;
  kernel.attributes.resize(1);
  kernel.scalars.resize(1);
  Node node;
  node.dependencies.resize(1);
  node.parameters.kernel = kernel;
  node.parameters.memcpy.emplace();
  node.parameters.memset.emplace();
  node.parameters.host_function = 0;
  node.parameters.event_handle = 0;
  node.parameters.conditional.emplace();
  node.parameters.allocation = true;
  node.parameters.operands.resize(1);
  node.parameters.operands[0].block = std::make_shared<const OperandBlock>();
  return node;
}

inline std::vector<Sample> ZeroObservations() {
  return {
      {Encode(SiteId{}, Site{}),
       R"(site { id: 0 executable: 0 graph: 0 node: 0 role: ROLE_ARGUMENT address: 0 cut_bytes: 0
                 grade: GRADE_SCANNED dtype: 0 hash: false digest: false copy: false copy_bytes: 0
                 version: 1 })"},
      {Encode(Shadow{}),
       R"(shadow { executable: 0 error: 0 sites: 0 probes: 0 overlaps_lost: 0 device_bytes: 0
                   slot_bytes: 0 duration_ns: 0 time_ns: 0 })"},
      {Encode(Refusal{}),
       "refusal { executable: 0 graph: 0 node: 0 role: ROLE_ARGUMENT bytes: 0 reason: 0 }"},
      {Encode(Observation{}), "observation { site: 0 replay: 0 }"},
      {Encode(Observation{.hash = 0, .statistics = Statistics{}, .payload = PayloadId{}}),
       R"(observation { site: 0 replay: 0 hash: 0 statistics { elements: 0 finite: 0 nan: 0
                        positive_infinity: 0 negative_infinity: 0 zero: 0 } payload: 0
                        payload_bytes: 0 })"},
      {Encode(0, RuleCounters::Counts{}),
       "rule_counts { rule: 0 requested: 0 planned: 0 refused: 0 observed: 0 lost: 0 }"},
      {Encode(ReplayRange{}),
       "replay_range { executable: 0 first: 0 last: 0 first_ns: 0 last_ns: 0 }"},
      {Encode(Loss{}, 0), "loss { cause: 0 count: 0 }"},
      {Encode(Message{}), "message { code: 0 time_ns: 0 }"},
      {Encode(PayloadId{}, 0, {}), R"(payload_piece { payload: 0 offset: 0 })"},
  };
}

}  // namespace graphtap::record
