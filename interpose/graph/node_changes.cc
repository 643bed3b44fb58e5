#include "interpose/graph/node_changes.h"

#include <cstring>

namespace graphtap::graph {
namespace {

// A driver call that may be lacking.
template <typename Function, typename... Arguments>
CUresult Call(Function function, Arguments... arguments) {
  return function == nullptr ? CUDA_ERROR_NOT_SUPPORTED : function(arguments...);
}

}  // namespace

// `fill` adds to the Update what the call set on a node of the graph version, and tells the
// companion; it runs only if the call succeeded.
template <typename Fill>
void NodeChanges::Write(const Change& change, Fill fill) {
  const auto state = executables_.Find(change.executable);
  if (state == nullptr) return;
  Companion* companion = change.result == CUDA_SUCCESS ? state->companion.get() : nullptr;
  PendingChange pending(companion);
  auto update = executables_.StartUpdate(change.call, *state, change.result);
  update.node = state->made_of->IndexOf(change.node);
  if (!update.node) session_.recorder().Count(Loss::unknown_node);
  if (change.result == CUDA_SUCCESS) {
    fill(*state->made_of, &update, update.node ? companion : nullptr);
  }
  if (update.node) pending.Told();
  session_.recorder().Append(update);
}

// `read` takes a ParameterReader and returns the node's parameters; `apply` sets them on a node of
// a graph.
template <typename Read>
void NodeChanges::WriteParameters(const Change& change, Read read, const Companion::Apply& apply) {
  Write(change, [&](const GraphVersion& graph, record::Update* update, Companion* companion) {
    ParameterReader reader(session_, functions_, addresses_);
    reader.AddOfGraph(graph.allocations);
    update->parameters = read(reader);
    reader.SetExtents({&*update->parameters}, false);
    if (companion != nullptr) companion->OnParameters(*update->node, *update->parameters, apply);
  });
}

void NodeChanges::OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v1* parameters) {
  CUDA_KERNEL_NODE_PARAMS_v2 newer{};
  // v2 only adds fields at the end. A call that failed may have been given none.
  if (change.result == CUDA_SUCCESS) std::memcpy(&newer, parameters, sizeof *parameters);
  OnKernel(change, &newer);
}

void NodeChanges::OnKernel(const Change& change, const CUDA_KERNEL_NODE_PARAMS_v2* parameters) {
  WriteParameters(
      change, [&](ParameterReader& reader) { return reader.Kernel(*parameters); },
      [&](CUgraphNode node) { return session_.calls().set_kernel(node, parameters); });
}

void NodeChanges::OnMemcpy(const Change& change, const CUDA_MEMCPY3D* parameters) {
  WriteParameters(
      change, [&](ParameterReader& reader) { return reader.Memcpy(*parameters); },
      [&](CUgraphNode node) { return session_.calls().set_memcpy(node, parameters); });
}

void NodeChanges::OnMemset(const Change& change, const CUDA_MEMSET_NODE_PARAMS* parameters) {
  WriteParameters(
      change, [&](ParameterReader& reader) { return reader.Memset(*parameters); },
      [&](CUgraphNode node) { return session_.calls().set_memset(node, parameters); });
}

void NodeChanges::OnHost(const Change& change, const CUDA_HOST_NODE_PARAMS* parameters) {
  WriteParameters(
      change,
      [&](ParameterReader& reader) {
        return reader.Host(reinterpret_cast<const void*>(parameters->fn));
      },
      [&](CUgraphNode node) { return session_.calls().set_host(node, parameters); });
}

void NodeChanges::OnChild(const Change& change, CUgraph child) {
  Write(change, [&](const GraphVersion&, record::Update* update, Companion* companion) {
    GraphModel model;
    const auto version = graphs_.Current(child, "", &model);
    if (version != nullptr) update->graph = version->id();
    if (companion == nullptr) return;
    if (version == nullptr) return companion->OnUnknownChange();
    companion->OnChild(*update->node, child, model);
  });
}

void NodeChanges::OnEvent(const Change& change, CUgraphNodeType kind, CUevent event) {
  const auto& calls = session_.calls();
  const auto set =
      kind == CU_GRAPH_NODE_TYPE_EVENT_RECORD ? calls.set_record_event : calls.set_wait_event;
  WriteParameters(
      change, [&](ParameterReader& reader) { return reader.Event(kind, event); },
      [&](CUgraphNode node) { return Call(set, node, event); });
}

void NodeChanges::OnSignal(const Change& change,
                           const CUDA_EXT_SEM_SIGNAL_NODE_PARAMS* parameters) {
  WriteParameters(
      change,
      [](ParameterReader&) { return ParameterReader::Plain(CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL); },
      [&](CUgraphNode node) { return Call(session_.calls().set_signal, node, parameters); });
}

void NodeChanges::OnWait(const Change& change, const CUDA_EXT_SEM_WAIT_NODE_PARAMS* parameters) {
  WriteParameters(
      change,
      [](ParameterReader&) { return ParameterReader::Plain(CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT); },
      [&](CUgraphNode node) { return Call(session_.calls().set_wait, node, parameters); });
}

void NodeChanges::OnBatch(const Change& change, const CUDA_BATCH_MEM_OP_NODE_PARAMS* parameters) {
  WriteParameters(
      change,
      [](ParameterReader&) { return ParameterReader::Plain(CU_GRAPH_NODE_TYPE_BATCH_MEM_OP); },
      [&](CUgraphNode node) { return Call(session_.calls().set_batch, node, parameters); });
}

void NodeChanges::OnGeneric(const Change& change, CUgraphNodeParams* parameters) {
  if (change.result == CUDA_SUCCESS && parameters->type == CU_GRAPH_NODE_TYPE_GRAPH) {
    OnChild(change, parameters->graph.graph);
    return;
  }
  WriteParameters(
      change, [&](ParameterReader& reader) { return reader.Generic(*parameters); },
      [&](CUgraphNode node) { return Call(session_.calls().set_node, node, parameters); });
}

void NodeChanges::OnEnabled(const Change& change, bool enabled) {
  Write(change, [&](const GraphVersion&, record::Update* update, Companion* companion) {
    update->enabled = enabled;
    if (companion != nullptr) companion->OnEnabled(*update->node, enabled);
  });
}

}  // namespace graphtap::graph
