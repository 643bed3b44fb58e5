// Changes: one function for each call that changes a node of an executable to what the model says.
// Owner: the caller. Threads: one. Failure: ends the job.
#pragma once

#include <cuda_runtime.h>

#include "tests/jobs/mirror/model.h"

namespace mirror {

// The node of the graph that was instantiated, or one inside its child graphs.
struct Target {
  cudaGraphExec_t executable;
  cudaGraphNode_t node;
};

void SetKernel(Target target, const Node& node);        // cudaGraphExecKernelNodeSetParams
void SetKernelV1(Target target, const Node& node);      // cuGraphExecKernelNodeSetParams of CUDA 11
void SetKernelV2(Target target, const Node& node);      // …_v2
void SetKernelPacked(Target target, const Node& node);  // …_v2, arguments in one buffer
void SetFill(Target target, const Node& node);          // cudaGraphExecMemsetNodeSetParams
void SetCopy(Target target, const Node& node);          // cudaGraphExecMemcpyNodeSetParams
void SetCopy1D(Target target, const Node& node);        // cudaGraphExecMemcpyNodeSetParams1D
void SetCopyDriver(Target target, const Node& node);    // cuGraphExecMemcpyNodeSetParams
void SetHost(Target target, const Node& node);          // cudaGraphExecHostNodeSetParams
void SetRecord(Target target, const Node& node);        // cudaGraphExecEventRecordNodeSetEvent
void SetWait(Target target, const Node& node);          // cudaGraphExecEventWaitNodeSetEvent
void SetEnabled(Target target, const Node& node);       // cudaGraphNodeSetEnabled
// cuGraphExecNodeSetParams, for each kind but child graphs.
void SetGeneric(Target target, const Node& node);
// With a graph that is made of node.inner and destroyed at once.
void SetChild(Target target, const Node& node);         // cudaGraphExecChildGraphNodeSetParams
void SetChildGeneric(Target target, const Node& node);  // cuGraphExecNodeSetParams

}  // namespace mirror
