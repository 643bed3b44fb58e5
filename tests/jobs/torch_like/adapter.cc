// The adapter for the stand-in. TORCH_LIKE_MARK: what it says that it is; TORCH_LIKE_OPEN:
// its one symbol. A file named in the environment as TORCH_LIKE_LOADED gets the mark as a line when
// this is loaded.
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "interpose/abi/adapter.h"
#include "proto/dtype.h"
#include "tests/jobs/torch_like/torch_like.h"

namespace {

[[gnu::used]] constexpr char kMark[] = TORCH_LIKE_MARK;

const GraphtapHost* the_host = nullptr;

// Operators that are open on this thread, and which of them is the leaf, counted from 1.
thread_local unsigned t_open = 0, t_leaf = 0;

GraphtapOpKind NextKind(bool composite) {
  ++t_open;
  if (t_leaf != 0) return GRAPHTAP_OP_INNER;
  if (composite) return GRAPHTAP_OP_COMPOSITE;
  t_leaf = t_open;
  return GRAPHTAP_OP_LEAF;
}

graphtap::Dtype DtypeOf(torch_like::Dtype dtype) {
  return dtype == torch_like::Dtype::kBfloat16 ? graphtap::Dtype::kBfloat16
                                               : graphtap::Dtype::kFloat32;
}

GraphtapTensor Told(const torch_like::Value& value, GraphtapTensorRole role) {
  const torch_like::Tensor& tensor = value.tensor;
  GraphtapTensor told{};
  told.size = sizeof(told);
  told.role = role;
  told.index = value.index;
  told.dtype = static_cast<std::uint32_t>(DtypeOf(tensor.dtype));
  told.item_bytes = tensor.dtype == torch_like::Dtype::kBfloat16 ? 2 : 4;
  told.device = tensor.device;
  told.address = told.storage_address = reinterpret_cast<std::uintptr_t>(tensor.data);
  told.storage_bytes = tensor.storage_bytes;
  told.dimensions = static_cast<std::uint32_t>(tensor.sizes.size());
  told.sizes = tensor.sizes.data();
  told.strides = tensor.strides.data();
  return told;
}

void Begin(const torch_like::Call& call) {
  const GraphtapOp op{sizeof(op), NextKind(call.composite), call.name, call.stream};
  the_host->op_begin(&op);
}

void End(const torch_like::Result& result) {
  std::vector<GraphtapTensor> tensors;
  if (t_leaf == t_open) {
    t_leaf = 0;
    for (const auto& value : result.outputs) tensors.push_back(Told(value, GRAPHTAP_TENSOR_OUTPUT));
    for (const auto& value : result.written) tensors.push_back(Told(value, GRAPHTAP_TENSOR_INPUT));
  }
  --t_open;
  const GraphtapOpResult told{sizeof(told), sizeof(GraphtapTensor),
                              static_cast<std::uint32_t>(tensors.size()), tensors.data()};
  the_host->op_end(&told);
}

void WatchOps(int on) {
  static constexpr torch_like::Observer kObserver = {Begin, End};
  torch_like_functions()->observe(on != 0 ? &kObserver : nullptr);
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
  *adapter = {sizeof(*adapter), GRAPHTAP_ADAPTER_VERSION, "torch_like", WatchOps};
  return 0;
}
