// Graph contents: the nodes and operators of one version of a graph, to be written, and to be
// compared with those of the next. As a rule they are encoded once, by the writer thread: the job
// waits while its graph is read, not while that is encoded. Owner: shared by the recorder and the
// graph. Threads: any. Failure: std::bad_alloc, and it can be tried again. Units: bytes.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "interpose/record/op_records.h"
#include "interpose/record/records.h"

namespace graphtap::record {

class GraphContents {
 public:
  using Nodes = std::shared_ptr<const std::vector<Node>>;
  using Ops = std::shared_ptr<const std::vector<Op>>;

  GraphContents(Nodes nodes, Ops ops);

  // Messages, and the memory that all of it takes, about.
  std::uint32_t count() const { return count_; }
  std::uint64_t bytes() const { return bytes_; }

  // Each message, of the graph with this id. Afterwards there is only the fingerprint.
  using Put = std::function<void(std::string_view message)>;
  void TakeMessages(GraphId graph, const Put& put);

  // One number for all of it but the graph's id. Two that differ have the same by a chance of
  // 2^-64.
  std::uint64_t Fingerprint();

 private:
  void Encode(GraphId graph, const Put& put);

  const std::uint32_t count_;
  const std::uint64_t bytes_;
  std::mutex mutex_;  // guards all below
  Nodes nodes_;
  Ops ops_;
  std::optional<std::uint64_t> fingerprint_;
};

}  // namespace graphtap::record
