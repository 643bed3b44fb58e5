#include "interpose/record/fingerprint.h"

#include <xxhash.h>

#include <memory>

#include "interpose/record/encoder.h"

namespace graphtap::record {

std::uint64_t Fingerprint(std::span<const Node> nodes, std::span<const Op> ops) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  const auto add = [&](const std::string& bytes) {
    XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
  };
  for (const Node& node : nodes) add(Encode(GraphId{}, node));
  for (std::uint32_t i = 0; i < ops.size(); ++i) add(Encode(GraphId{}, i, ops[i]));
  return XXH3_64bits_digest(state.get());
}

}  // namespace graphtap::record
