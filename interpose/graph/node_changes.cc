#include "interpose/graph/node_changes.h"

namespace graphtap::graph {

// `fill` adds to the Update what the call set; it runs only if the call succeeded.
template <typename Fill>
void NodeChanges::Write(const Change& change, Fill fill) {
  const auto state = executables_.Find(change.executable);
  if (state == nullptr) return;
  auto update = executables_.StartUpdate(change.call, *state, change.result);
  update.node = state->made_of->IndexOf(change.node);
  if (!update.node) session_.recorder().Count(Loss::unknown_node);
  if (change.result == CUDA_SUCCESS) fill(&update);
  session_.recorder().Append(update);
}

// `read` takes a ParameterReader and returns the node's parameters.
template <typename Read>
void NodeChanges::WriteParameters(const Change& change, Read read) {
  Write(change, [&](record::Update* update) {
    ParameterReader reader(session_, functions_, addresses_);
    update->parameters = read(reader);
    reader.SetExtents({&*update->parameters}, false);
  });
}

void NodeChanges::OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Kernel(*parameters); });
}

void NodeChanges::OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Kernel(*parameters); });
}

void NodeChanges::OnMemcpy(const Change& change, const CUDA_MEMCPY3D* parameters) {
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Memcpy(*parameters); });
}

void NodeChanges::OnMemset(const Change& change, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Memset(*parameters); });
}

void NodeChanges::OnHost(const Change& change, const CUDA_HOST_NODE_PARAMS* parameters) {
  WriteParameters(change, [&](ParameterReader& reader) {
    return reader.Host(reinterpret_cast<const void*>(parameters->fn));
  });
}

void NodeChanges::OnChild(const Change& change, CUgraph child) {
  Write(change, [&](record::Update* update) {
    if (const auto version = graphs_.Current(child, "")) update->graph = version->id();
  });
}

void NodeChanges::OnEvent(const Change& change, CUgraphNodeType kind, CUevent event) {
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Event(kind, event); });
}

void NodeChanges::OnGeneric(const Change& change, const CUgraphNodeParams* parameters) {
  if (change.result == CUDA_SUCCESS && parameters->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    OnChild(change, parameters->graph.graph);
    return;
  }
  WriteParameters(change, [&](ParameterReader& reader) { return reader.Generic(*parameters); });
}

void NodeChanges::OnEnabled(const Change& change, bool enabled) {
  Write(change, [&](record::Update* update) { update->enabled = enabled; });
}

void NodeChanges::OnOther(const Change& change, CUgraphNodeType kind) {
  WriteParameters(change, [&](ParameterReader&) { return ParameterReader::Plain(kind); });
}

}  // namespace graphtap::graph
