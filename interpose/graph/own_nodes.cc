#include "interpose/graph/own_nodes.h"

#include <utility>

namespace graphtap::graph {

void OwnNodes::Tell(CUgraph level, Set nodes) {
  auto shared = std::make_shared<const Set>(std::move(nodes));
  const std::lock_guard lock(mutex_);
  levels_[level] = std::move(shared);
}

void OwnNodes::Forget(CUgraph level) noexcept {
  const std::lock_guard lock(mutex_);
  levels_.erase(level);
}

std::shared_ptr<const OwnNodes::Set> OwnNodes::In(CUgraph level) const {
  // Never destroyed: threads may still be here while the process exits.
  static const auto& none = *new std::shared_ptr<const Set>(new Set);
  const std::lock_guard lock(mutex_);
  const auto found = levels_.find(level);
  return found == levels_.end() ? none : found->second;
}

}  // namespace graphtap::graph
