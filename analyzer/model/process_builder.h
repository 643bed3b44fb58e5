// ProcessBuilder: takes the entries of one run file in order and makes its Process.
// Definitions may come again (the writer repeats them) and may come after their use (when the
// frame with the first copy is lost), so all is resolved at the end.
// Owner: whoever reads the file. Threads: one. Failure: none; what cannot be resolved is an orphan.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "analyzer/model/process.h"
#include "proto/trace.pb.h"

namespace graphtap::model {

class ProcessBuilder {
 public:
  ProcessBuilder() : process_(std::make_unique<Process>()) {}

  // `place`: where the entry is in its file.
  void Add(Entry&& entry, const reader::Place& place = {});

  // Resolves everything and hands the tables over; the builder is empty afterwards.
  std::unique_ptr<Process> Finish();

 private:
  using NeededIds = std::vector<std::pair<Reference, std::uint32_t>>;

  void AddDefinition(Entry&& entry);
  // process_observations.cc: what probes saw.
  bool AddObserved(Entry* entry, const reader::Place& place);
  void ResolveObserved();
  void ResolveSite(Site* site);
  void ResolveRefusal(Refusal* refusal);
  void DistributeObservations();

  void AddUpdate(graphtap::Update&& update);
  void AddReplay(graphtap::Replay&& replay);
  void AddReplayRange(const graphtap::ReplayRange& range);
  Executable& ExecutableAt(std::uint32_t number);
  void NoteReferences(const Entry& entry);
  void CountOrphans();
  void SetEnding();
  void ResolveFunctions();
  template <typename Record>
  std::string InScope(const Record& record, const std::string& name) const;
  void ResolveCompiledFiles();
  void ResolveStacks();
  template <typename Record>
  const Stack* StackOf(const Record& record) const;
  void ResolveOp(Op* op);
  void NameGradients(Graph* graph);
  std::string CompileIdOf(const Graph& graph, const Node& node) const;
  void ResolveGraph(Graph* graph);
  void ResolveExecutable(Executable* executable);

  // An observation whose site may come later.
  struct Observed {
    std::uint32_t site = 0;
    Observation row;
  };

  std::unique_ptr<Process> process_;
  AllocatorReplay allocator_;
  PointTable points_;
  std::vector<Observed> observed_;
  std::map<std::uint32_t, std::uint32_t> compile_ids_;  // of captures: strings
  std::vector<graphtap::CompiledFile> compiled_files_;
  std::vector<NeededIds> unresolved_;              // one for each entry with such references
  std::vector<std::uint32_t> needed_executables_;  // one for each entry that names one by number
};

}  // namespace graphtap::model
