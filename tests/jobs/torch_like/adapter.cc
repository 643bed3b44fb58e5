// The adapter for the stand-in. TORCH_LIKE_MARK: what it says that it is; TORCH_LIKE_OPEN:
// its one symbol. A file named in the environment as TORCH_LIKE_LOADED gets the mark as a line when
// this is loaded. With TORCH_LIKE_NO_ALLOCATOR the allocator cannot be watched, for that reason.
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "interpose/abi/adapter.h"
#include "proto/dtype.h"
#include "tests/jobs/torch_like/allocator.h"
#include "tests/jobs/torch_like/torch_like.h"

namespace {

[[gnu::used]] constexpr char kMark[] = TORCH_LIKE_MARK;

const GraphtapHost* the_host = nullptr;

// Operators that are open on this thread, and which of them is the leaf, counted from 1.
thread_local unsigned t_open = 0, t_leaf = 0;
thread_local bool t_makes_room = false;  // that is all the leaf does

GraphtapOpKind NextKind(bool composite) {
  ++t_open;
  if (t_leaf != 0) return GRAPHTAP_OP_INNER;
  if (composite) return GRAPHTAP_OP_COMPOSITE;
  t_leaf = t_open;
  return GRAPHTAP_OP_LEAF;
}

graphtap::Dtype DtypeOf(torch_like::Dtype dtype) {
  using Told = torch_like::Dtype;
  switch (dtype) {
    case Told::kInt8:
      return graphtap::Dtype::kInt8;
    case Told::kBfloat16:
      return graphtap::Dtype::kBfloat16;
    case Told::kFloat64:
      return graphtap::Dtype::kFloat64;
    case Told::kComplex128:
      return graphtap::Dtype::kComplex128;
    default:
      return graphtap::Dtype::kFloat32;
  }
}

GraphtapTensor Told(const torch_like::Value& value, GraphtapTensorRole role) {
  const torch_like::Tensor& tensor = value.tensor;
  GraphtapTensor told{};
  told.size = sizeof(told);
  told.role = role;
  told.index = value.index;
  told.dtype = static_cast<std::uint32_t>(DtypeOf(tensor.dtype));
  told.item_bytes = torch_like::ItemBytes(tensor.dtype);
  told.device = tensor.device;
  told.address = told.storage_address = reinterpret_cast<std::uintptr_t>(tensor.data);
  told.storage_bytes = tensor.storage_bytes;
  told.dimensions = static_cast<std::uint32_t>(tensor.sizes.size());
  told.sizes = tensor.sizes.data();
  told.strides = tensor.strides.data();
  return told;
}

std::uint32_t FlagsOf(const torch_like::Call& call) {
  std::uint32_t flags = 0;
  if (!call.range) flags |= GRAPHTAP_OP_CALL;
  if (call.backward) flags |= GRAPHTAP_OP_BACKWARD;
  if (call.sequence >= 0) flags |= GRAPHTAP_OP_SEQUENCED;
  return flags;
}

void Begin(const torch_like::Call& call) {
  std::vector<GraphtapTensor> gradients;
  for (const auto& value : call.gradients) {
    gradients.push_back(Told(value, GRAPHTAP_TENSOR_GRADIENT));
  }
  if (t_leaf == 0) t_makes_room = std::string_view(call.name).starts_with("aten::empty");
  const GraphtapOp op{sizeof(op),
                      NextKind(call.composite),
                      call.name,
                      call.stream,
                      FlagsOf(call),
                      sizeof(GraphtapTensor),
                      static_cast<std::uint32_t>(gradients.size()),
                      gradients.data(),
                      static_cast<std::uint64_t>(call.sequence),
                      call.thread,
                      call.parameter};
  the_host->op_begin(&op);
}

void End(const torch_like::Result& result) {
  std::vector<GraphtapTensor> tensors;
  if (t_leaf == t_open) {
    t_leaf = 0;
    const bool gives = !t_makes_room;
    for (const auto& value : result.outputs) {
      if (gives) tensors.push_back(Told(value, GRAPHTAP_TENSOR_OUTPUT));
    }
    for (const auto& value : result.written) tensors.push_back(Told(value, GRAPHTAP_TENSOR_INPUT));
  }
  --t_open;
  const GraphtapOpResult told{sizeof(told), sizeof(GraphtapTensor),
                              static_cast<std::uint32_t>(tensors.size()), tensors.data()};
  the_host->op_end(&told);
}

GraphtapPool Told(const torch_like::Pool& pool) { return {pool.first, pool.second}; }

GraphtapAllocatorAction Told(torch_like::Action action) {
  switch (action) {
    case torch_like::Action::kAlloc:
      return GRAPHTAP_ALLOC;
    case torch_like::Action::kFreeRequested:
      return GRAPHTAP_FREE_REQUESTED;
    case torch_like::Action::kFreeCompleted:
      return GRAPHTAP_FREE_COMPLETED;
    case torch_like::Action::kOutOfMemory:
      return GRAPHTAP_OUT_OF_MEMORY;
    default:
      return GRAPHTAP_SEGMENT_ALLOC;
  }
}

void OnAllocatorEvent(const torch_like::AllocatorEvent& event) {
  const GraphtapAllocatorEvent told{sizeof(told),
                                    static_cast<std::uint32_t>(Told(event.action)),
                                    0,
                                    event.address,
                                    event.bytes,
                                    event.stream,
                                    Told(event.pool)};
  the_host->allocator_event(&told);
}

void OnOutOfMemory(std::uint64_t bytes) {
  const GraphtapOutOfMemory failure{sizeof(failure), 0, bytes};
  the_host->out_of_memory(&failure);
}

std::vector<GraphtapBlock> BlocksOf(const torch_like::SegmentInfo& segment) {
  std::vector<GraphtapBlock> blocks;
  std::uint64_t address = segment.address;
  for (const auto& block : segment.blocks) {
    const auto state = block.allocated ? GRAPHTAP_BLOCK_ALLOCATED
                       : block.active  ? GRAPHTAP_BLOCK_PENDING
                                       : GRAPHTAP_BLOCK_FREE;
    blocks.push_back({sizeof(GraphtapBlock), static_cast<std::uint32_t>(state), address,
                      block.bytes, block.requested});
    address += block.bytes;
  }
  return blocks;
}

void TellState() {
  std::vector<std::vector<GraphtapBlock>> blocks;
  std::vector<GraphtapSegment> segments;
  for (const auto& segment : torch_like_allocator()->snapshot()) {
    blocks.push_back(BlocksOf(segment));
    segments.push_back({sizeof(GraphtapSegment), 0, segment.address, segment.bytes, segment.stream,
                        Told(segment.pool), 0, sizeof(GraphtapBlock),
                        static_cast<std::uint32_t>(segment.blocks.size()), blocks.back().data()});
  }
  const GraphtapAllocatorState told{sizeof(told), sizeof(GraphtapSegment),
                                    static_cast<std::uint32_t>(segments.size()), segments.data()};
  the_host->allocator_state(&told);
}

// The allocator is to be watched, but was not yet.
std::atomic<bool> the_allocator_waits{false}, the_allocator_tells{false};

void AttachIfInitialised() {
  if (!torch_like_allocator()->initialized() || !the_allocator_waits.exchange(false)) return;
  torch_like_allocator()->track(OnAllocatorEvent);
  torch_like_allocator()->observe_failures(OnOutOfMemory);
  the_allocator_tells = true;
  TellState();
}

// Who waits for an operator to attach by.
void BeginUnwatched(const torch_like::Call&) { AttachIfInitialised(); }
void EndUnwatched(const torch_like::Result&) {}

void WatchOps(int on) {
  static constexpr torch_like::Observer kObserver = {Begin, End};
  static constexpr torch_like::Observer kWaiter = {BeginUnwatched, EndUnwatched};
  if (on != 0) AttachIfInitialised();
  torch_like_functions()->observe(on != 0 ? &kObserver : the_allocator_waits ? &kWaiter : nullptr);
}

// Why not may be told more than once.
void WatchAllocator() {
  const char* why = std::getenv("TORCH_LIKE_NO_ALLOCATOR");
  if (why != nullptr) {
    for (int i = 0; i < 2; ++i) the_host->no_allocator(why);
    return;
  }
  the_allocator_waits = true;
  WatchOps(0);
}

void TakeAllocatorState() {
  if (the_allocator_tells) TellState();
}

__attribute__((constructor)) void SayLoaded() {
  const char* path = std::getenv("TORCH_LIKE_LOADED");
  std::FILE* file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  std::fputs(kMark, file);
  std::fputs("\n", file);
  std::fclose(file);
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int TORCH_LIKE_OPEN(const GraphtapHost* host,
                                                                      GraphtapAdapter* adapter) {
  if (host->version != GRAPHTAP_ADAPTER_VERSION || adapter->size < sizeof(*adapter)) return 1;
  the_host = host;
  *adapter = {sizeof(*adapter), GRAPHTAP_ADAPTER_VERSION, "torch_like",
              WatchOps,         WatchAllocator,           TakeAllocatorState};
  return 0;
}
