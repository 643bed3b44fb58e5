// Node changes: what the job sets on single nodes of an executable. Each successful call becomes an
// Update with what the node does now; a failed one an Update with its error. Owner: the observer.
// Threads: any. Failure: a node of no known graph is counted. May throw bad_alloc.
#pragma once

#include "interpose/graph/executables.h"

namespace graphtap::graph {

class NodeChanges {
 public:
  NodeChanges(session::Session& session, Functions& functions, Graphs& graphs,
              Executables& executables, const memory::AddressBook& addresses)
      : session_(session),
        functions_(functions),
        graphs_(graphs),
        executables_(executables),
        addresses_(addresses) {}

  // Which call changed which node, and what the driver said.
  struct Change {
    const char* call;
    CUgraphExec executable;
    CUgraphNode node;
    CUresult result;
  };

  // The arguments are those of the driver's call; they are read only if it succeeded.
  void OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v1* parameters);
  void OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v2* parameters);
  void OnMemcpy(const Change& change, const CUDA_MEMCPY3D* parameters);
  void OnMemset(const Change& change, const CUDA_MEMSET_NODE_PARAMS* parameters);
  void OnHost(const Change& change, const CUDA_HOST_NODE_PARAMS* parameters);
  void OnChild(const Change& change, CUgraph child);
  void OnEvent(const Change& change, CUgraphNodeType kind, CUevent event);
  void OnSignal(const Change& change, const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* parameters);
  void OnWait(const Change& change, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* parameters);
  void OnBatch(const Change& change, const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters);
  void OnGeneric(const Change& change, CUgraphNodeParams* parameters);
  void OnEnabled(const Change& change, bool enabled);

 private:
  template <typename Fill>
  void Write(const Change& change, Fill fill);
  template <typename Read>
  void WriteParameters(const Change& change, Read read, const Companion::Apply& apply);

  session::Session& session_;
  Functions& functions_;
  Graphs& graphs_;
  Executables& executables_;
  const memory::AddressBook& addresses_;
};

}  // namespace graphtap::graph
