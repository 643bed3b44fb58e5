// Conditional nodes and their handles.
#include <utility>

#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/graph/conditional.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/node_calls.h"

namespace hostcuda {
namespace {

bool IsSize(CUgraphConditionalNodeType type, unsigned size) {
  switch (type) {
    case CU_GRAPH_COND_TYPE_IF:
      return size == 1 || size == 2;
    case CU_GRAPH_COND_TYPE_WHILE:
      return size == 1;
    case CU_GRAPH_COND_TYPE_SWITCH:
      return size > 0;
  }
  return false;
}

// Whether the variable was made for the graph or one that it is in.
bool Reaches(const Conditional& conditional, const Graph* graph) {
  while (graph != nullptr && graph->id() != conditional.graph_id) graph = graph->parent;
  return graph != nullptr;
}

CUresult CheckParams(const CUDA_CONDITIONAL_NODE_PARAMS& params, const Graph* graph,
                     const Conditional* conditional, const Context* context) {
  if (graph == nullptr || conditional == nullptr || conditional->has_node ||
      !Reaches(*conditional, graph) || !IsSize(params.type, params.size)) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  return &conditional->context == context ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

EmbeddedGraphs MakeBodies(unsigned count) {
  EmbeddedGraphs bodies;
  for (unsigned i = 0; i < count; ++i) {
    bodies.push_back(std::make_unique<Graph>());
    bodies.back()->is_body = true;
  }
  return bodies;
}

}  // namespace

CUresult AddConditionalNode(CUgraphNode* added, CUgraph handle, const DependencyList& dependencies,
                            CUDA_CONDITIONAL_NODE_PARAMS* params) {
  std::shared_ptr<Context> context =
      params->ctx == nullptr ? CurrentContext() : Live<Context>().Find(params->ctx);
  std::shared_ptr<Conditional> conditional = FindConditional(params->handle);
  GraphLock lock;
  CUresult result = CheckParams(*params, Find(handle), conditional.get(), context.get());
  if (result != CUDA_SUCCESS) return result;
  EmbeddedGraphs bodies = MakeBodies(params->size);
  auto work = std::make_shared<const Work>(ConditionalWork{conditional, params->type});
  result = AddNode(added, handle, dependencies, work, &bodies);
  if (result != CUDA_SUCCESS) return result;
  conditional->has_node = true;
  Node& node = *Find(*added);
  for (auto& body : node.embedded) node.body_handles.push_back(Handle(body.get()));
  params->phGraph_out = node.body_handles.data();
  return CUDA_SUCCESS;
}

}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuGraphConditionalHandleCreate(CUgraphConditionalHandle* made, CUgraph handle,
                                        CUcontext context_handle, unsigned default_value,
                                        unsigned flags) {
  if (made == nullptr || (flags & ~unsigned{CU_GRAPH_COND_ASSIGN_DEFAULT}) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  std::shared_ptr<Context> context =
      context_handle == nullptr ? CurrentContext() : Live<Context>().Find(context_handle);
  if (context == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  GraphLock lock;
  Graph* graph = Find(handle);
  if (graph == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Conditional> conditional = MakeConditional(graph->id(), *context);
  conditional->assigns_default = (flags & CU_GRAPH_COND_ASSIGN_DEFAULT) != 0;
  conditional->default_value = default_value;
  *made = conditional->handle;
  graph->conditionals.push_back(std::move(conditional));
  return CUDA_SUCCESS;
}

}  // namespace hostcuda::calls
