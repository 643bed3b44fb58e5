#include "tests/hostcuda/graph/handles.h"

#include <unordered_map>

namespace hostcuda {
namespace {

enum class Kind { kGraph, kNode, kExecutable };

std::unordered_map<const void*, Kind>& Alive() {
  static auto* alive = new std::unordered_map<const void*, Kind>;
  return *alive;
}

template <typename Object>
Object* FindAlive(void* handle, Kind kind) {
  auto found = Alive().find(handle);
  if (found == Alive().end() || found->second != kind) return nullptr;
  return static_cast<Object*>(handle);
}

}  // namespace

void AddHandle(const Graph* graph) { Alive()[graph] = Kind::kGraph; }

void AddHandle(const Node* node) { Alive()[node] = Kind::kNode; }

void AddHandle(const Executable* executable) { Alive()[executable] = Kind::kExecutable; }

void ForgetHandle(const void* object) { Alive().erase(object); }

Graph* Find(CUgraph handle) { return FindAlive<Graph>(handle, Kind::kGraph); }

Node* Find(CUgraphNode handle) { return FindAlive<Node>(handle, Kind::kNode); }

Executable* Find(CUgraphExec handle) { return FindAlive<Executable>(handle, Kind::kExecutable); }

}  // namespace hostcuda
