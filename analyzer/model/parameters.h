// Parameters: which named parameter of the program's modules lies at an address, as of one capture.
// Owner: the caller; the Process has the records. Threads: read-only, any. Failure: none.
// Units: bytes.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "analyzer/model/process.h"

namespace graphtap::model {

class Parameters {
 public:
  // Those that were there when the graph was captured, as far as is known; of a graph that no
  // capture made, at the end.
  Parameters(const Process& process, const Graph& graph);

  // "" where there is none; of several names the first.
  std::string At(std::uint64_t address) const;

 private:
  // By begin and name.
  std::map<std::uint64_t, std::map<std::string, std::uint64_t>> ends_;
};

}  // namespace graphtap::model
