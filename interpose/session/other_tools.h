// Other tools: what else looks into this process, or was asked to by its environment, and which of
// it changes kernels. Owner: none. Threads: any; called once a session, after the job's cuInit,
// when the driver has loaded what CUDA_INJECTION64_PATH names. Failure: what cannot be told is left
// out.
#pragma once

#include <string>
#include <vector>

namespace graphtap::session {

struct OtherTool {
  std::string name;
  bool changes_kernels =
      false;  // probes would be changed too, and what it says of the job be wrong
};

// Allocates; may throw std::bad_alloc.
std::vector<OtherTool> FindOtherTools();

}  // namespace graphtap::session
