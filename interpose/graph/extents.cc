// How far a pointer's site reaches. The driver knows allocations, not tensors: an allocation that
// starts at the pointer and holds no other known pointer is the site; any other site is cut at the
// next known pointer, the end of the allocation or the limit of GRAPHTAP_SITE_BYTES.
#include <algorithm>

#include "interpose/graph/parameter_reader.h"

namespace graphtap::graph {

void ParameterReader::SetExtents(const std::vector<record::NodeParameters*>& nodes,
                                 bool whole_graph) {
  std::vector<std::uint64_t> addresses;
  for (const auto* node : nodes) {
    if (node->allocation_bytes) {
      lookup_.AddOfGraph({node->operands.front().address, *node->allocation_bytes});
    }
    for (const auto& operand : node->operands) addresses.push_back(operand.address);
  }
  std::sort(addresses.begin(), addresses.end());
  for (auto* node : nodes) {
    for (auto& operand : node->operands) {
      if (operand.extent != 0) continue;  // a copy or fill says itself what it touches
      const auto* allocation = lookup_.Find(operand.address);
      if (allocation == nullptr) continue;
      const auto next = std::upper_bound(addresses.begin(), addresses.end(), operand.address);
      const std::uint64_t end = allocation->end();
      const bool alone = next == addresses.end() || *next >= end;
      operand.exact =
          whole_graph && alone && operand.address == allocation->base && !allocation->mapping;
      operand.extent = (alone ? end : *next) - operand.address;
      if (!operand.exact) {
        operand.extent = std::min(operand.extent, session_.settings().site_bytes);
      }
    }
  }
}

}  // namespace graphtap::graph
