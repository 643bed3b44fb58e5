#include "interpose/python/parameters.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>

#include "interpose/python/modules.h"

namespace graphtap::python {
namespace {

constexpr int kMostLevels = 64;  // a module may hold itself

class Tree {
 public:
  explicit Tree(Modules& modules) : modules_(modules) {}

  std::vector<Parameter> Read() {
    const auto alive = modules_.Alive();
    std::unordered_set<void*> held;
    for (const Reference& module : alive) {
      for (const auto& [name, part] : modules_.EntriesOf(module.get(), "_modules")) {
        held.insert(part.get());
      }
    }
    for (const Reference& module : alive) {
      if (held.contains(module.get())) continue;
      root_ = module.get();
      ReadModule(root_, "", 0);
    }
    return Named();
  }

 private:
  struct Found {
    void* root;
    Modules::Memory memory;
  };

  void ReadModule(void* module, const std::string& path, int level) {
    for (const char* dictionary : {"_parameters", "_buffers"}) {
      for (const auto& [name, tensor] : modules_.EntriesOf(module, dictionary)) {
        const auto memory = modules_.MemoryOf(tensor.get());
        if (memory) found_.emplace(path + name, Found{root_, *memory});
      }
    }
    if (level == kMostLevels) return;
    for (const auto& [name, part] : modules_.EntriesOf(module, "_modules")) {
      if (modules_.IsModule(part.get())) ReadModule(part.get(), path + name + '.', level + 1);
    }
  }

  std::vector<Parameter> Named() {
    std::set<Parameter> named;
    for (auto first = found_.begin(); first != found_.end();) {
      const auto last = found_.upper_bound(first->first);
      const bool shared = std::any_of(
          first, last, [&](const auto& entry) { return entry.second.root != first->second.root; });
      for (; first != last; ++first) {
        const auto& [root, memory] = first->second;
        const std::string prefix = shared ? modules_.TypeNameOf(root) + '.' : "";
        named.insert({prefix + first->first, memory.address, memory.bytes});
      }
    }
    return {named.begin(), named.end()};
  }

  Modules& modules_;
  void* root_ = nullptr;
  std::multimap<std::string, Found> found_;  // by their names below the root
};

}  // namespace

std::optional<std::vector<Parameter>> ReadParameters(const Interpreter& interpreter) {
  Modules modules(interpreter);
  if (!modules.Find()) return std::nullopt;
  return Tree(modules).Read();
}

}  // namespace graphtap::python
