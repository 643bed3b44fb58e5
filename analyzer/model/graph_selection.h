// GraphSelection: which graph versions a report is about.
// Pure functions of the frozen run, any thread. Failure: a status of one line that says what the
// run has instead.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/model/run.h"

namespace graphtap::model {

struct GraphSelection {
  std::optional<std::uint32_t> process, graph, version, executable;  // those not set: all
};

// Sets what "p0"; "g3" or "g3.v1"; "x3" selects.
absl::Status SelectProcess(std::string_view text, GraphSelection* selection);
absl::Status SelectGraph(std::string_view text, GraphSelection* selection);
absl::Status SelectExecutable(std::string_view text, GraphSelection* selection);

struct SelectedGraph {
  const Process* process = nullptr;
  const Graph* graph = nullptr;
  std::vector<const Executable*> executables;  // made of this version or updated to it
};

// In the order of processes, graphs and versions. NotFound: the selection is not empty, but nothing
// is as it says.
absl::StatusOr<std::vector<SelectedGraph>> FindGraphs(const Run& run,
                                                      const GraphSelection& selection);

}  // namespace graphtap::model
