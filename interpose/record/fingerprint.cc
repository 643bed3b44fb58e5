#include "interpose/record/fingerprint.h"

#include <xxhash.h>

#include <memory>

#include "interpose/record/encoder.h"

namespace graphtap::record {

std::uint64_t Fingerprint(std::span<const Node> nodes) {
  const std::unique_ptr<XXH3_state_t, decltype(&XXH3_freeState)> state(XXH3_createState(),
                                                                       &XXH3_freeState);
  if (state == nullptr) throw std::bad_alloc();
  XXH3_64bits_reset(state.get());
  for (const Node& node : nodes) {
    const std::string bytes = Encode(GraphId{}, node);
    XXH3_64bits_update(state.get(), bytes.data(), bytes.size());
  }
  return XXH3_64bits_digest(state.get());
}

}  // namespace graphtap::record
