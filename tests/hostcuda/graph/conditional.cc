#include "tests/hostcuda/graph/conditional.h"

#include <map>
#include <mutex>

#include "tests/hostcuda/twin.h"

namespace hostcuda {
namespace {

struct Table {
  std::mutex mutex;
  CUgraphConditionalHandle last = 0;
  std::map<CUgraphConditionalHandle, std::weak_ptr<Conditional>> alive;
};

Table& All() {
  static auto& table = *new Table;
  return table;
}

}  // namespace

Conditional::~Conditional() {
  std::lock_guard lock(All().mutex);
  All().alive.erase(handle);
}

std::shared_ptr<Conditional> MakeConditional(std::uint64_t graph_id, const Context& context) {
  auto made = std::make_shared<Conditional>(graph_id, context);
  std::lock_guard lock(All().mutex);
  made->handle = ++All().last;
  All().alive[made->handle] = made;
  return made;
}

std::shared_ptr<Conditional> FindConditional(CUgraphConditionalHandle handle) {
  std::lock_guard lock(All().mutex);
  auto found = All().alive.find(handle);
  return found == All().alive.end() ? nullptr : found->second.lock();
}

}  // namespace hostcuda

extern "C" void hostcuda_set_conditional(unsigned long long handle, unsigned value) {
  if (auto conditional = hostcuda::FindConditional(handle)) conditional->value = value;
}
