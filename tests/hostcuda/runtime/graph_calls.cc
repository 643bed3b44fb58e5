// Graphs as a whole: nodes, edges, clones, user objects.
#include "tests/hostcuda/runtime/runtime.h"

using hostcuda::Call;
using hostcuda::DriverTable;

namespace {

CUgraphEdgeData* EdgeData(const cudaGraphEdgeData* data) {
  return reinterpret_cast<CUgraphEdgeData*>(const_cast<cudaGraphEdgeData*>(data));
}

}  // namespace

extern "C" cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return Call(&DriverTable::cuGraphCreate_v10000, graph, flags);
}

extern "C" cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return Call(&DriverTable::cuGraphDestroy_v10000, graph);
}

extern "C" cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return Call(&DriverTable::cuGraphClone_v10000, clone, graph);
}

extern "C" cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original,
                                                cudaGraph_t clone) {
  return Call(&DriverTable::cuGraphNodeFindInClone_v10000, node, original, clone);
}

extern "C" cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  static_assert(static_cast<int>(cudaGraphNodeTypeWaitEvent) == CU_GRAPH_NODE_TYPE_WAIT_EVENT);
  return Call(&DriverTable::cuGraphNodeGetType_v10000, node,
              reinterpret_cast<CUgraphNodeType*>(type));
}

extern "C" cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return Call(&DriverTable::cuGraphGetNodes_v10000, graph, nodes, count);
}

extern "C" cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes,
                                             size_t* count) {
  return Call(&DriverTable::cuGraphGetRootNodes_v10000, graph, nodes, count);
}

extern "C" cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from,
                                         cudaGraphNode_t* to, cudaGraphEdgeData* data,
                                         size_t* count) {
  return Call(&DriverTable::cuGraphGetEdges_v12030, graph, from, to, EdgeData(data), count);
}

extern "C" cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                    cudaGraphEdgeData* data, size_t* count) {
  return Call(&DriverTable::cuGraphNodeGetDependencies_v12030, node, nodes, EdgeData(data), count);
}

extern "C" cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                                      cudaGraphEdgeData* data, size_t* count) {
  return Call(&DriverTable::cuGraphNodeGetDependentNodes_v12030, node, nodes, EdgeData(data),
              count);
}

extern "C" cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                const cudaGraphNode_t* to,
                                                const cudaGraphEdgeData* data, size_t count) {
  return Call(&DriverTable::cuGraphAddDependencies_v12030, graph, from, to, EdgeData(data), count);
}

extern "C" cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                                   const cudaGraphNode_t* to,
                                                   const cudaGraphEdgeData* data, size_t count) {
  return Call(&DriverTable::cuGraphRemoveDependencies_v12030, graph, from, to, EdgeData(data),
              count);
}

extern "C" cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  return Call(&DriverTable::cuGraphDestroyNode_v10000, node);
}

extern "C" cudaError_t cudaUserObjectCreate(cudaUserObject_t* object, void* pointer,
                                            cudaHostFn_t destroy, unsigned references,
                                            unsigned flags) {
  return Call(&DriverTable::cuUserObjectCreate_v11030, object, pointer, destroy, references, flags);
}

extern "C" cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  return Call(&DriverTable::cuUserObjectRetain_v11030, object, count);
}

extern "C" cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  return Call(&DriverTable::cuUserObjectRelease_v11030, object, count);
}

extern "C" cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                 unsigned count, unsigned flags) {
  return Call(&DriverTable::cuGraphRetainUserObject_v11030, graph, object, count, flags);
}

extern "C" cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object,
                                                  unsigned count) {
  return Call(&DriverTable::cuGraphReleaseUserObject_v11030, graph, object, count);
}
