// The one symbol of the adapter, and the mark by which its file is known before it is loaded.
// GRAPHTAP_TORCH_VERSION, "2.11.0", comes from the build.

#include <cstddef>
#include <cstring>

#include "interpose/abi/adapter.h"
#include "interpose/torch/allocator_watch.h"
#include "interpose/torch/host.h"
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

// A capture wants the allocator's events from its beginning, also if no op has run before it.
void Watch(int on) noexcept {
  if (on != 0) AttachIfInitialised();
  WatchOps(on);
}

}  // namespace
}  // namespace graphtap::torch

extern "C" __attribute__((visibility("default"))) int graphtap_open_adapter(
    const GraphtapHost* host, GraphtapAdapter* adapter) {
  using namespace graphtap::torch;
  if (host == nullptr || adapter == nullptr || !IsUsable(*host)) return 1;
  GraphtapAdapter mine{.size = sizeof(GraphtapAdapter),
                       .version = GRAPHTAP_ADAPTER_VERSION,
                       .framework = GRAPHTAP_FRAMEWORK,
                       .watch_ops = &Watch,
                       .watch_allocator = &WatchAllocator,
                       .take_allocator_state = &TakeAllocatorState};
  if (adapter->size < offsetof(GraphtapAdapter, framework)) return 1;
  if (adapter->size < mine.size) mine.size = adapter->size;
  if (!SetHost(*host)) return 1;
  std::memcpy(adapter, &mine, mine.size);
  return 0;
}
