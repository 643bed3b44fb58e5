// Executables as wholes: instantiate in all spellings, update, launch, destroy.
#include <cstdio>
#include <memory>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/stream.h"
#include "tests/hostcuda/graph/capture.h"
#include "tests/hostcuda/graph/executable.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/restrictions.h"

namespace hostcuda {
namespace {

constexpr std::uint64_t kAutoFree = CUDA_GRAPH_INSTANTIATE_FLAG_AUTO_FREE_ON_LAUNCH;
constexpr std::uint64_t kDeviceLaunch = CUDA_GRAPH_INSTANTIATE_FLAG_DEVICE_LAUNCH;
constexpr std::uint64_t kKnownFlags =
    kAutoFree | kDeviceLaunch | CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY;

// No executable is both launched from the device and freed on launch.
bool AreFlags(std::uint64_t flags) {
  bool both = (flags & kAutoFree) != 0 && (flags & kDeviceLaunch) != 0;
  return (flags & ~kKnownFlags) == 0 && !both;
}

// Why an instantiation failed.
struct Fault {
  const Node* node = nullptr;
  CUgraphInstantiateResult result = CUDA_GRAPH_INSTANTIATE_ERROR;
};

CUresult Instantiate(CUgraphExec* made, CUgraph handle, std::uint64_t flags, Fault* fault) {
  CUresult result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  Graph* graph = Find(handle);
  if (made == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (HasUnusedConditional(*graph)) {
    fault->result = CUDA_GRAPH_INSTANTIATE_CONDITIONAL_HANDLE_UNUSED;
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::unique_ptr<Executable> executable;
  result = Executable::Make(*graph, flags, &executable, &fault->node);
  if (fault->node != nullptr) fault->result = CUDA_GRAPH_INSTANTIATE_INVALID_STRUCTURE;
  if (result == CUDA_SUCCESS) *made = Handle(executable.release());
  return result;
}

CUresult InstantiateWithLog(CUgraphExec* made, CUgraph graph, CUgraphNode* error_node, char* log,
                            std::size_t log_bytes) {
  Fault fault;
  CUresult result = Instantiate(made, graph, 0, &fault);
  if (error_node != nullptr) *error_node = Handle(fault.node);
  if (log != nullptr && log_bytes != 0) {
    std::snprintf(log, log_bytes, "%s", fault.node == nullptr ? "" : "the graph has a cycle");
  }
  return result;
}

// The stream of a launch or an upload, which must not be capturing.
CUresult ResolvePlainStream(CUstream handle, std::shared_ptr<Stream>* stream) {
  CUresult result = ResolveStream(handle, stream);
  return result == CUDA_SUCCESS ? CheckNotCapturing(**stream) : result;
}

// INVALID_VALUE for handles of nothing.
CUresult Update(CUgraphExec executable_handle, CUgraph graph_handle, UpdateOutcome* outcome) {
  Executable* executable = Find(executable_handle);
  const Graph* graph = Find(graph_handle);
  *outcome = {CU_GRAPH_EXEC_UPDATE_ERROR};
  if (executable == nullptr || graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *outcome = executable->Update(*graph);
  return outcome->result == CU_GRAPH_EXEC_UPDATE_SUCCESS ? CUDA_SUCCESS
                                                         : CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
}

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphInstantiate(CUgraphExec* made, CUgraph graph, CUgraphNode* error_node, char* log,
                            size_t log_bytes) {
  return InstantiateWithLog(made, graph, error_node, log, log_bytes);
}

CUresult cuGraphInstantiate_v2(CUgraphExec* made, CUgraph graph, CUgraphNode* error_node, char* log,
                               size_t log_bytes) {
  return InstantiateWithLog(made, graph, error_node, log, log_bytes);
}

CUresult cuGraphInstantiateWithFlags(CUgraphExec* made, CUgraph graph, unsigned long long flags) {
  if (!AreFlags(flags)) return CUDA_ERROR_INVALID_VALUE;
  Fault fault;
  return Instantiate(made, graph, flags, &fault);
}

CUresult cuGraphInstantiateWithParams(CUgraphExec* made, CUgraph graph,
                                      CUDA_GRAPH_INSTANTIATE_PARAMS* params) {
  if (params == nullptr) return CUDA_ERROR_INVALID_VALUE;
  params->hErrNode_out = nullptr;
  params->result_out = CUDA_GRAPH_INSTANTIATE_ERROR;
  bool upload = (params->flags & CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD) != 0;
  std::uint64_t flags = params->flags & ~std::uint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_UPLOAD};
  if (!AreFlags(flags)) return CUDA_ERROR_INVALID_VALUE;
  if (upload) {
    std::shared_ptr<Stream> stream;
    CUresult resolved = ResolvePlainStream(params->hUploadStream, &stream);
    if (resolved != CUDA_SUCCESS) return resolved;
  }
  Fault fault;
  CUresult result = Instantiate(made, graph, flags, &fault);
  params->hErrNode_out = Handle(fault.node);
  params->result_out = result == CUDA_SUCCESS ? CUDA_GRAPH_INSTANTIATE_SUCCESS : fault.result;
  return result;
}

CUresult cuGraphExecGetFlags(CUgraphExec handle, cuuint64_t* flags) {
  GraphLock lock;
  const Executable* executable = Find(handle);
  if (flags == nullptr || executable == nullptr) return CUDA_ERROR_INVALID_VALUE;
  // The real driver does not tell this one.
  *flags = executable->flags() & ~cuuint64_t{CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY};
  return CUDA_SUCCESS;
}

CUresult cuGraphExecDestroy(CUgraphExec handle) {
  GraphLock lock;
  Executable* executable = Find(handle);
  if (executable == nullptr) return CUDA_ERROR_INVALID_VALUE;
  delete executable;
  return CUDA_SUCCESS;
}

CUresult cuGraphExecUpdate_v2(CUgraphExec executable, CUgraph graph,
                              CUgraphExecUpdateResultInfo* info) {
  if (info == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphLock lock;
  UpdateOutcome outcome;
  CUresult result = Update(executable, graph, &outcome);
  *info = {outcome.result, Handle(outcome.error_node), Handle(outcome.error_from)};
  return result;
}

CUresult cuGraphExecUpdate(CUgraphExec executable, CUgraph graph, CUgraphNode* error_node,
                           CUgraphExecUpdateResult* told) {
  if (told == nullptr) return CUDA_ERROR_INVALID_VALUE;
  GraphLock lock;
  UpdateOutcome outcome;
  CUresult result = Update(executable, graph, &outcome);
  if (error_node != nullptr) *error_node = Handle(outcome.error_node);
  *told = outcome.result;
  return result;
}

CUresult cuGraphUpload(CUgraphExec handle, CUstream stream_handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolvePlainStream(stream_handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  return Find(handle) == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cuGraphLaunch(CUgraphExec handle, CUstream stream_handle) {
  std::shared_ptr<Stream> stream;
  CUresult result = ResolvePlainStream(stream_handle, &stream);
  if (result != CUDA_SUCCESS) return result;
  GraphLock lock;
  Executable* executable = Find(handle);
  if (executable == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return executable->Launch(*stream);
}

}  // namespace hostcuda::calls
