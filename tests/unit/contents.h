// Contents: of a graph that a test defines. Owner: the test. Values, no failure.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "interpose/record/graph_contents.h"

namespace graphtap::record {

inline std::shared_ptr<GraphContents> Contents(std::vector<Node> nodes, std::vector<Op> ops = {}) {
  return std::make_shared<GraphContents>(
      std::make_shared<const std::vector<Node>>(std::move(nodes)),
      std::make_shared<const std::vector<Op>>(std::move(ops)));
}

}  // namespace graphtap::record
