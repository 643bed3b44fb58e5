// The one symbol of the adapter, and the mark by which its file is known before it is loaded.
// GRAPHTAP_TORCH_VERSION, "2.11.0", comes from the build.

#include <cstddef>
#include <cstring>

#include "interpose/abi/adapter.h"
#include "interpose/torch/op_events.h"

#define GRAPHTAP_TEXT_OF(macro) #macro
#define GRAPHTAP_TEXT(macro) GRAPHTAP_TEXT_OF(macro)

namespace graphtap::torch {
namespace {

#define GRAPHTAP_FRAMEWORK "torch " GRAPHTAP_TORCH_VERSION

[[gnu::used]] constexpr char kMark[] =
    GRAPHTAP_ADAPTER_MARK GRAPHTAP_FRAMEWORK " cxx11abi" GRAPHTAP_TEXT(_GLIBCXX_USE_CXX11_ABI);

bool IsUsable(const GraphtapHost& host) {
  return host.size >= offsetof(GraphtapHost, op_end) + sizeof(host.op_end) &&
         host.version == GRAPHTAP_ADAPTER_VERSION && host.op_begin != nullptr &&
         host.op_end != nullptr;
}

}  // namespace
}  // namespace graphtap::torch

extern "C" __attribute__((visibility("default"))) int graphtap_open_adapter(
    const GraphtapHost* host, GraphtapAdapter* adapter) {
  using graphtap::torch::IsUsable;
  if (host == nullptr || adapter == nullptr || !IsUsable(*host)) return 1;
  GraphtapAdapter mine{.size = sizeof(GraphtapAdapter),
                       .version = GRAPHTAP_ADAPTER_VERSION,
                       .framework = GRAPHTAP_FRAMEWORK,
                       .watch_ops = &graphtap::torch::WatchOps};
  if (adapter->size < offsetof(GraphtapAdapter, framework)) return 1;
  if (adapter->size < mine.size) mine.size = adapter->size;
  graphtap::torch::SetHost(host);
  std::memcpy(adapter, &mine, mine.size);
  return 0;
}
