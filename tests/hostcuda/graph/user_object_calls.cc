// User objects: create, count, hand to graphs.
#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/graph/graph.h"
#include "tests/hostcuda/graph/graph_lock.h"
#include "tests/hostcuda/graph/handles.h"
#include "tests/hostcuda/graph/user_object.h"

namespace hostcuda {
namespace {

UserObject* AsObject(CUuserObject handle) { return reinterpret_cast<UserObject*>(handle); }

}  // namespace
}  // namespace hostcuda

namespace hostcuda::calls {

CUresult cuUserObjectCreate(CUuserObject* object, void* resource, CUhostFn destroy, unsigned count,
                            unsigned flags) {
  if (object == nullptr || destroy == nullptr || count == 0 ||
      flags != CU_USER_OBJECT_NO_DESTRUCTOR_SYNC) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  *object = reinterpret_cast<CUuserObject>(new UserObject(resource, destroy, count));
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRetain(CUuserObject object, unsigned count) {
  if (object == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  AsObject(object)->Retain(count);
  return CUDA_SUCCESS;
}

CUresult cuUserObjectRelease(CUuserObject object, unsigned count) {
  if (object == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  AsObject(object)->Release(count);
  return CUDA_SUCCESS;
}

CUresult cuGraphRetainUserObject(CUgraph handle, CUuserObject object, unsigned count,
                                 unsigned flags) {
  GraphLock lock;
  Graph* graph = Find(handle);
  if (graph == nullptr || object == nullptr || count == 0 ||
      (flags & ~unsigned{CU_GRAPH_USER_OBJECT_MOVE}) != 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  if ((flags & CU_GRAPH_USER_OBJECT_MOVE) == 0) AsObject(object)->Retain(count);
  graph->user_objects().Adopt(*AsObject(object), count);
  return CUDA_SUCCESS;
}

CUresult cuGraphReleaseUserObject(CUgraph handle, CUuserObject object, unsigned count) {
  GraphLock lock;
  Graph* graph = Find(handle);
  if (graph == nullptr || object == nullptr || count == 0) return CUDA_ERROR_INVALID_VALUE;
  return graph->user_objects().Release(*AsObject(object), count);
}

}  // namespace hostcuda::calls
