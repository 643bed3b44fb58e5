#include "tests/adapter/fake_host.h"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

#include "tests/adapter/allocator_log.h"

namespace graphtap::adapter_test {
namespace {

std::mutex mutex;
std::vector<ToldOp> ops;
std::map<int, std::vector<int>> open_ops;
std::function<void()> inside_begin;
int ended = 0;
int stray_ends = 0;

// The system gives the identity of a thread that has ended to the next.
int ThisThread() {
  static std::atomic<int> count{0};
  static thread_local const int number = ++count;
  return number;
}

template <typename Structure>
std::vector<ToldTensor> TensorsOf(const Structure& told) {
  std::vector<ToldTensor> tensors;
  EXPECT_EQ(told.tensor_size, sizeof(GraphtapTensor));
  for (std::uint32_t i = 0; i < told.tensor_count; ++i) {
    const GraphtapTensor& tensor = told.tensors[i];
    tensors.push_back({tensor,
                       {tensor.sizes, tensor.sizes + tensor.dimensions},
                       {tensor.strides, tensor.strides + tensor.dimensions}});
  }
  return tensors;
}

void OpBegin(const GraphtapOp* op) {
  if (inside_begin) inside_begin();
  const std::lock_guard lock(mutex);
  std::vector<int>& open = open_ops[ThisThread()];
  ToldOp told;
  told.name = op->name;
  told.kind = op->kind;
  told.stream = op->stream;
  told.thread = ThisThread();
  told.parent = open.empty() ? -1 : open.back();
  told.flags = op->flags;
  told.sequence = op->sequence;
  told.sequence_thread = op->thread;
  told.parameter = op->parameter;
  told.gradients = TensorsOf(*op);
  open.push_back(static_cast<int>(ops.size()));
  ops.push_back(std::move(told));
}

void OpEnd(const GraphtapOpResult* result) {
  const std::lock_guard lock(mutex);
  std::vector<int>& open = open_ops[ThisThread()];
  if (open.empty()) {
    ++stray_ends;
    return;
  }
  ToldOp& op = ops[open.back()];
  open.pop_back();
  op.ended = true;
  op.end_order = ended++;
  op.tensors = TensorsOf(*result);
}

constexpr GraphtapHost kHost{.size = sizeof(GraphtapHost),
                             .version = GRAPHTAP_ADAPTER_VERSION,
                             .op_begin = &OpBegin,
                             .op_end = &OpEnd,
                             .allocator_event = &LogEvent,
                             .allocator_state = &LogState,
                             .no_allocator = &LogReason,
                             .out_of_memory = &LogFailure};

[[noreturn]] void Die(const char* what) {
  std::fprintf(stderr, "adapter test: %s\n", what);
  std::abort();
}

}  // namespace

GraphtapOpenAdapter Entry() {
  static const auto entry = [] {
    const char* path = std::getenv("GRAPHTAP_ADAPTER");
    void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) Die(path == nullptr ? "GRAPHTAP_ADAPTER is not set" : dlerror());
    return reinterpret_cast<GraphtapOpenAdapter>(dlsym(library, GRAPHTAP_OPEN_ADAPTER));
  }();
  if (entry == nullptr) Die("no graphtap_open_adapter");
  return entry;
}

const GraphtapHost& Host() { return kHost; }

const GraphtapAdapter& Adapter() {
  static const GraphtapAdapter adapter = [] {
    GraphtapAdapter opened{};
    opened.size = sizeof(opened);
    if (Entry()(&kHost, &opened) != 0) Die("the adapter does not open");
    return opened;
  }();
  return adapter;
}

Watch::Watch() {
  {
    const std::lock_guard lock(mutex);
    ops.clear();
    open_ops.clear();
    ended = 0;
  }
  Adapter().watch_ops(1);
}

void Watch::Stop() { Adapter().watch_ops(0); }

std::vector<ToldOp> Watch::Ops() const {
  const std::lock_guard lock(mutex);
  return ops;
}

ToldOp Watch::Only(const std::string& name) const {
  ToldOp found;
  int count = 0;
  std::string all;
  for (const ToldOp& op : Ops()) {
    all += " " + op.name;
    if (op.name != name) continue;
    found = op;
    ++count;
  }
  EXPECT_EQ(count, 1) << name << " of" << all;
  return found;
}

std::vector<std::string> Watch::Leaves() const {
  std::vector<std::string> names;
  for (const ToldOp& op : Ops()) {
    if (op.kind == GRAPHTAP_OP_LEAF) names.push_back(op.name);
  }
  return names;
}

void SetInside(std::function<void()> inside) { inside_begin = std::move(inside); }

int StrayEnds() {
  const std::lock_guard lock(mutex);
  return stray_ends;
}

}  // namespace graphtap::adapter_test
