// Graphs: the numbers, keys and versions of the job's graphs, and their definitions in the file.
// A graph gets its number at the end of its capture or when it is first seen otherwise; a version
// is written when it is instantiated or handed to an update, and once more only if it changed.
// Owner: the observer. Threads: any; one graph is used by one thread at a time (CUDA's rule).
// Failure: a graph that cannot be read is nullptr, and counted.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "interpose/graph/graph_reader.h"

namespace graphtap::graph {

// One version in the file. Its definition stays alive as long as the graph or an executable has it.
class GraphVersion {
 public:
  GraphVersion(record::Recorder& recorder, record::GraphId id,
               std::shared_ptr<const record::OwnedText> key_text)
      : recorder_(recorder), id_(id), key_text_(std::move(key_text)) {}
  GraphVersion(const GraphVersion&) = delete;
  GraphVersion& operator=(const GraphVersion&) = delete;
  ~GraphVersion() { recorder_.Retire(id_); }

  record::GraphId id() const { return id_; }
  std::string key;

  // Index of a node in the definition; nullopt once the graph is destroyed, or for a foreign node.
  std::optional<std::uint32_t> IndexOf(CUgraphNode node) const;
  void SetHandles(std::vector<CUgraphNode> handles);
  void ForgetHandles() noexcept;

  // Memory that its allocation nodes give it: the driver may not know it while no replay runs.
  std::vector<memory::Allocation> allocations;

 private:
  record::Recorder& recorder_;
  const record::GraphId id_;
  const std::shared_ptr<const record::OwnedText> key_text_;
  mutable std::mutex mutex_;  // guards all below
  std::vector<CUgraphNode> handles_;
  mutable std::optional<ops::NodePositions> index_;  // of them, once it is asked for
};

class Graphs {
 public:
  Graphs(session::Session& session, Functions& functions, const memory::AddressBook& addresses)
      : session_(session), functions_(functions), addresses_(addresses) {}

  // "train_step" -> "train_step#0": the next ordinal among equals.
  std::string NextKey(const std::string& range);

  // The end of a capture. Scopes are those of its nodes. Returns the graph's number.
  struct CapturedGraph {
    CUgraph handle = nullptr;
    std::string key;
    std::uint32_t capture = 0;
    bool to_graph = false;  // a graph of the job's own, which keeps its number and key
    std::unordered_map<CUgraphNode, record::StringId> scopes;
    ops::GraphOps ops;
    std::unordered_map<CUgraphNode, blocks::Interval> blocks;
  };
  std::uint32_t OnCaptured(CapturedGraph captured);

  void OnConditional(CUgraph graph, CUgraphNode node, Conditional conditional);

  // Before the real destroy the graph leaves the table, with the bodies of its conditional nodes;
  // their handles may be others' afterwards. If the destroy failed, they are put back.
  struct Entry;
  using Leaving = std::vector<std::pair<CUgraph, std::shared_ptr<Entry>>>;
  Leaving Take(CUgraph graph);
  void OnDestroyed(Leaving leaving, bool destroyed);

  // The graph as it is now, written if it is new or changed. `range` names a graph not seen before.
  // `*model` is what was read.
  std::shared_ptr<GraphVersion> Current(CUgraph graph, const std::string& range, GraphModel* model);

  // A graph that the driver does not know, the one of this range: the keys of others do not depend
  // on whether there is one.
  std::shared_ptr<Entry> AddEager(const std::string& range);
  // Its version as `model` has it, written if it is new or another one than the last.
  std::shared_ptr<GraphVersion> VersionOf(Entry* entry, const GraphModel& model);

  // Paths of ranges and names of operators, as nodes name them, and back.
  record::StringId InternName(std::string_view name);
  std::string NameText(record::StringId name);

  // The version written last, or nullptr: for calls that failed, whose handle may be no graph.
  std::shared_ptr<GraphVersion> Known(CUgraph graph);

  // The key of the next executable of a graph: the graph's own for the first, "<key>/x1" after.
  std::string NextExecutableKey(CUgraph graph, const GraphVersion& version);
  // The same, while it is not sure that there will be one.
  std::string ExpectedExecutableKey(CUgraph graph, const GraphVersion& version);

  // What graphtap itself has put into graphs of the job.
  OwnNodes& own_nodes() { return own_nodes_; }

  struct Entry {
    std::mutex mutex;          // guards what is not constant; jobs share graphs against the rule
    std::uint32_t number = 0;  // constant once the entry is in the table
    std::uint32_t next_version = 0;
    std::uint32_t executables = 0;
    bool eager = false;  // constant
    std::string key;
    std::optional<std::uint32_t> capture;
    std::shared_ptr<NodeHints> hints = std::make_shared<NodeHints>();
    std::shared_ptr<GraphVersion> latest;
    std::shared_ptr<record::GraphContents> contents;  // of the latest
  };

 private:
  std::shared_ptr<Entry> FindOrAdd(CUgraph graph, const std::string& range);
  std::shared_ptr<const NodeHints> HintsOf(CUgraph graph);
  std::shared_ptr<Entry> Remove(CUgraph graph) noexcept;
  void Update(Entry* entry, const GraphModel& model);
  std::shared_ptr<GraphVersion> Define(Entry* entry, const GraphModel& model,
                                       std::shared_ptr<record::GraphContents> contents);

  session::Session& session_;
  Functions& functions_;
  const memory::AddressBook& addresses_;
  OwnNodes own_nodes_;
  std::mutex mutex_;  // guards all below, not what is inside entries
  std::unordered_map<CUgraph, std::shared_ptr<Entry>> entries_;
  std::unordered_map<std::string, std::uint32_t> ordinals_;
  std::unordered_map<record::StringId, std::string> names_;
  std::uint32_t next_number_ = 0;
};

}  // namespace graphtap::graph
