#include "tests/hostcuda/graph/node_work.h"

#include <utility>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/function.h"
#include "tests/hostcuda/driver/memory.h"

namespace hostcuda {
namespace {

CUresult FindContext(CUcontext handle, std::shared_ptr<Context>* context) {
  *context = handle == nullptr ? CurrentContext() : Live<Context>().Find(handle);
  return *context == nullptr ? CUDA_ERROR_INVALID_CONTEXT : CUDA_SUCCESS;
}

CUresult FindFunction(const CUDA_KERNEL_NODE_PARAMS_v2& params,
                      std::shared_ptr<Function>* function) {
  if (params.func != nullptr) return ResolveFunction(params.func, function);
  if (params.kern == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto kernel = reinterpret_cast<CUfunction>(params.kern);
  if (params.ctx == nullptr) return ResolveFunction(kernel, function);
  if (Live<Context>().Find(params.ctx) == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  PushCurrent(params.ctx);
  CUresult result = ResolveFunction(kernel, function);
  CUcontext pushed = nullptr;
  PopCurrent(&pushed);
  return result;
}

bool IsReservedClear(const CUgraphNodeParams& params) {
  return params.reserved0[0] == 0 && params.reserved0[1] == 0 && params.reserved0[2] == 0 &&
         params.reserved2 == 0;
}

CUDA_KERNEL_NODE_PARAMS_v2 Narrow(const CUDA_KERNEL_NODE_PARAMS_v3& params) {
  return {params.func,         params.gridDimX,  params.gridDimY,  params.gridDimZ,
          params.blockDimX,    params.blockDimY, params.blockDimZ, params.sharedMemBytes,
          params.kernelParams, params.extra,     params.kern,      params.ctx};
}

KernelArgumentView MakeView(const KernelWork& kernel) {
  KernelArgumentView view;
  view.bytes = kernel.arguments;
  if (kernel.by_extra) {
    view.size = view.bytes.size();
    view.extra[0] = CU_LAUNCH_PARAM_BUFFER_POINTER;
    view.extra[1] = view.bytes.data();
    view.extra[2] = CU_LAUNCH_PARAM_BUFFER_SIZE;
    view.extra[3] = nullptr;  // set by the node, once `size` has its place
    view.extra[4] = CU_LAUNCH_PARAM_END;
    return view;
  }
  for (const Parameter& parameter : kernel.function->parameters) {
    view.parameters.push_back(view.bytes.data() + parameter.offset);
  }
  return view;
}

}  // namespace

CUDA_KERNEL_NODE_PARAMS_v2 Widen(const CUDA_KERNEL_NODE_PARAMS_v1& params) {
  return {params.func,         params.gridDimX,  params.gridDimY,  params.gridDimZ,
          params.blockDimX,    params.blockDimY, params.blockDimZ, params.sharedMemBytes,
          params.kernelParams, params.extra,     nullptr,          nullptr};
}

CUresult MakeWork(const CUDA_KERNEL_NODE_PARAMS_v2& params, SharedWork* work) {
  KernelWork kernel;
  CUresult result = FindFunction(params, &kernel.function);
  if (result != CUDA_SUCCESS) return result;
  kernel.context = kernel.function->context;
  // In a green context, too, the primary one's kernels are launched.
  if (const auto current = CurrentContext(); current && &current->Root() == kernel.context) {
    kernel.context = current.get();
  }
  kernel.grid = {params.gridDimX, params.gridDimY, params.gridDimZ};
  kernel.block = {params.blockDimX, params.blockDimY, params.blockDimZ};
  kernel.shared_bytes = params.sharedMemBytes;
  result = CheckShape(kernel);
  if (result != CUDA_SUCCESS) return result;
  result = PackArguments(*kernel.function, params.kernelParams, params.extra, &kernel);
  if (result != CUDA_SUCCESS) return result;
  *work = std::make_shared<const Work>(std::move(kernel));
  return CUDA_SUCCESS;
}

CUresult MakeWork(const CUDA_MEMCPY3D& params, CUcontext context, SharedWork* work) {
  if (params.WidthInBytes == 0 || params.Height == 0 || params.Depth == 0) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  CUresult result = CheckCopy(params);
  if (result != CUDA_SUCCESS) return result;
  std::shared_ptr<Context> found;
  result = FindContext(context, &found);
  if (result != CUDA_SUCCESS) return result;
  *work = std::make_shared<const Work>(CopyWork{params, found.get()});
  return CUDA_SUCCESS;
}

CUresult MakeWork(const CUDA_MEMSET_NODE_PARAMS_v1& params, CUcontext context, SharedWork* work) {
  if (params.width == 0 || params.height == 0) return CUDA_ERROR_INVALID_VALUE;
  CUresult result = CheckFill(params);
  if (result != CUDA_SUCCESS) return result;
  std::shared_ptr<Context> found;
  result = FindContext(context, &found);
  if (result != CUDA_SUCCESS) return result;
  *work = std::make_shared<const Work>(FillWork{params, found.get()});
  return CUDA_SUCCESS;
}

CUresult MakeWork(const CUDA_HOST_NODE_PARAMS_v1& params, SharedWork* work) {
  if (params.fn == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *work = std::make_shared<const Work>(HostWork{params.fn, params.userData});
  return CUDA_SUCCESS;
}

CUresult MakeRecordWork(CUevent event, SharedWork* work) {
  std::shared_ptr<Event> found = Live<Event>().Find(event);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *work = std::make_shared<const Work>(RecordWork{found.get(), nullptr});
  return CUDA_SUCCESS;
}

CUresult MakeWaitWork(CUevent event, SharedWork* work) {
  std::shared_ptr<Event> found = Live<Event>().Find(event);
  if (found == nullptr) return CUDA_ERROR_INVALID_HANDLE;
  *work = std::make_shared<const Work>(WaitWork{found.get(), nullptr});
  return CUDA_SUCCESS;
}

CUresult MakeAllocateWork(const CUDA_MEM_ALLOC_NODE_PARAMS_v2& params, SharedWork* work) {
  AllocateWork allocate;
  CUresult result = GraphAllocation::Make(params, &allocate.allocation);
  if (result == CUDA_SUCCESS) *work = std::make_shared<const Work>(std::move(allocate));
  return result;
}

CUresult MakeAllocateWork(std::size_t bytes, int device, SharedWork* work) {
  CUDA_MEM_ALLOC_NODE_PARAMS_v2 params{};
  params.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  params.poolProps.location = {CU_MEM_LOCATION_TYPE_DEVICE, device};
  params.bytesize = bytes;
  return MakeAllocateWork(params, work);
}

CUresult MakeFreeWork(CUdeviceptr address, SharedWork* work) {
  std::shared_ptr<GraphAllocation> found = FindGraphAllocation(address);
  if (found == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *work = std::make_shared<const Work>(FreeWork{std::move(found)});
  return CUDA_SUCCESS;
}

CUresult MakeOperationsWork(const CUDA_BATCH_MEM_OP_NODE_PARAMS_v2& params, SharedWork* work) {
  MemoryOperationsWork made;
  CUresult result = ReadOperations(params.paramArray, params.count, params.flags, &made.operations);
  std::shared_ptr<Context> context;
  if (result == CUDA_SUCCESS) result = FindContext(params.ctx, &context);
  if (result != CUDA_SUCCESS) return result;
  made.context = context.get();
  *work = std::make_shared<const Work>(std::move(made));
  return CUDA_SUCCESS;
}

CUresult MakeWork(const CUgraphNodeParams& params, SharedWork* work) {
  if (!IsReservedClear(params)) return CUDA_ERROR_INVALID_VALUE;
  switch (params.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL:
      return MakeWork(Narrow(params.kernel), work);
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      if (params.memcpy.flags != 0 || params.memcpy.reserved != 0) return CUDA_ERROR_INVALID_VALUE;
      return MakeWork(params.memcpy.copyParams, params.memcpy.copyCtx, work);
    case CU_GRAPH_NODE_TYPE_MEMSET:
      return MakeWork({params.memset.dst, params.memset.pitch, params.memset.value,
                       params.memset.elementSize, params.memset.width, params.memset.height},
                      params.memset.ctx, work);
    case CU_GRAPH_NODE_TYPE_HOST:
      return MakeWork(CUDA_HOST_NODE_PARAMS_v1{params.host.fn, params.host.userData}, work);
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return MakeRecordWork(params.eventRecord.event, work);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return MakeWaitWork(params.eventWait.event, work);
    case CU_GRAPH_NODE_TYPE_BATCH_MEM_OP:
      return MakeOperationsWork(params.memOp, work);
    case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
      return MakeAllocateWork(params.alloc, work);
    case CU_GRAPH_NODE_TYPE_MEM_FREE:
      return MakeFreeWork(params.free.dptr, work);
    case CU_GRAPH_NODE_TYPE_EMPTY:
      *work = std::make_shared<const Work>(EmptyWork{});
      return CUDA_SUCCESS;
    default:
      return CUDA_ERROR_NOT_SUPPORTED;
  }
}

CUgraphNodeType NodeTypeOf(const Work& work) {
  if (std::holds_alternative<KernelWork>(work)) return CU_GRAPH_NODE_TYPE_KERNEL;
  if (std::holds_alternative<CopyWork>(work)) return CU_GRAPH_NODE_TYPE_MEMCPY;
  if (std::holds_alternative<FillWork>(work)) return CU_GRAPH_NODE_TYPE_MEMSET;
  if (std::holds_alternative<HostWork>(work)) return CU_GRAPH_NODE_TYPE_HOST;
  if (std::holds_alternative<RecordWork>(work)) return CU_GRAPH_NODE_TYPE_EVENT_RECORD;
  if (std::holds_alternative<WaitWork>(work)) return CU_GRAPH_NODE_TYPE_WAIT_EVENT;
  if (std::holds_alternative<MemoryOperationsWork>(work)) return CU_GRAPH_NODE_TYPE_BATCH_MEM_OP;
  if (std::holds_alternative<AllocateWork>(work)) return CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  if (std::holds_alternative<FreeWork>(work)) return CU_GRAPH_NODE_TYPE_MEM_FREE;
  if (std::holds_alternative<ConditionalWork>(work)) return CU_GRAPH_NODE_TYPE_CONDITIONAL;
  return CU_GRAPH_NODE_TYPE_EMPTY;
}

bool HasSettableParams(CUgraphNodeType type) {
  return type != CU_GRAPH_NODE_TYPE_MEM_ALLOC && type != CU_GRAPH_NODE_TYPE_MEM_FREE &&
         type != CU_GRAPH_NODE_TYPE_CONDITIONAL;
}

SharedWork WithAttributesOf(const Work& current, const SharedWork& next) {
  const auto* kernel = std::get_if<KernelWork>(&current);
  if (kernel == nullptr || kernel->attributes.empty()) return next;
  KernelWork changed = std::get<KernelWork>(*next);
  changed.attributes = kernel->attributes;
  return std::make_shared<const Work>(std::move(changed));
}

CUDA_KERNEL_NODE_PARAMS_v2 KernelParams(Node& node) {
  const auto& kernel = std::get<KernelWork>(*node.work);
  if (node.view == nullptr) {
    node.view = std::make_unique<KernelArgumentView>(MakeView(kernel));
    if (kernel.by_extra) node.view->extra[3] = &node.view->size;
  }
  return {kernel.function->Handle(),
          kernel.grid[0],
          kernel.grid[1],
          kernel.grid[2],
          kernel.block[0],
          kernel.block[1],
          kernel.block[2],
          kernel.shared_bytes,
          kernel.by_extra ? nullptr : node.view->parameters.data(),
          kernel.by_extra ? node.view->extra : nullptr,
          KernelOf(*kernel.function),
          kernel.context->Handle()};
}

const CUDA_MEMCPY3D& CopyParams(const Node& node) { return std::get<CopyWork>(*node.work).copy; }

const CUDA_MEMSET_NODE_PARAMS_v1& FillParams(const Node& node) {
  return std::get<FillWork>(*node.work).fill;
}

CUDA_HOST_NODE_PARAMS_v1 HostParams(const Node& node) {
  const auto& host = std::get<HostWork>(*node.work);
  return {host.function, host.data};
}

const GraphAllocation& AllocationOf(const Work& work) {
  const auto* allocate = std::get_if<AllocateWork>(&work);
  return *(allocate != nullptr ? allocate->allocation : std::get<FreeWork>(work).allocation);
}

CUevent EventOf(const Node& node) {
  const auto* record = std::get_if<RecordWork>(node.work.get());
  const Event* event = record != nullptr ? record->event : std::get<WaitWork>(*node.work).event;
  return reinterpret_cast<CUevent>(const_cast<Event*>(event));
}

}  // namespace hostcuda
