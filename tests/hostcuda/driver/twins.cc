#include "tests/hostcuda/driver/twins.h"

#include <dlfcn.h>

#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>

#include "tests/hostcuda/driver/peer_access.h"

namespace hostcuda {
namespace {

struct TwinTable {
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<const RegisteredTwin>> twins;
};

TwinTable& Table() {
  static auto& table = *new TwinTable;
  return table;
}

// The gate that endless kernels wait at: each opening ends the waits that began before it.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  unsigned long long openings = 0;
};

Gate& EndlessGate() {
  static auto& gate = *new Gate;
  return gate;
}

std::atomic<unsigned long long> launches_without_twin{0};

}  // namespace

std::shared_ptr<const RegisteredTwin> FindTwin(const std::string& name) {
  std::lock_guard lock(Table().mutex);
  auto found = Table().twins.find(name);
  return found == Table().twins.end() ? nullptr : found->second;
}

bool LoadTwinPlugins() {
  const char* list = std::getenv("HOSTCUDA_TWINS");
  std::istringstream paths(list == nullptr ? "" : list);
  for (std::string path; std::getline(paths, path, ':');) {
    if (path.empty() || dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL) != nullptr) continue;
    std::fprintf(stderr, "hostcuda: HOSTCUDA_TWINS: %s\n", dlerror());
    return false;
  }
  return true;
}

CUresult RunKernel(const KernelWork& work) {
  if (!work.function->twin) {
    ++launches_without_twin;
    return CUDA_SUCCESS;
  }
  CUresult reach = CheckReach(work);
  if (reach != CUDA_SUCCESS) return reach;
  HostcudaGrid grid{{work.grid[0], work.grid[1], work.grid[2]},
                    {work.block[0], work.block[1], work.block[2]},
                    work.shared_bytes};
  const RegisteredTwin& twin = *work.function->twin;
  return static_cast<CUresult>(twin.call(twin.function, &grid, work.arguments.data()));
}

unsigned long long LaunchesWithoutTwin() { return launches_without_twin.load(); }

}  // namespace hostcuda

extern "C" {

void hostcuda_register_twin(const HostcudaTwin* twin) {
  auto registered = std::make_shared<hostcuda::RegisteredTwin>();
  registered->name = twin->name;
  for (std::size_t i = 0; i < twin->parameter_count; ++i) {
    registered->parameters.push_back({twin->offsets[i], twin->sizes[i]});
  }
  registered->function = twin->function;
  registered->call = twin->call;
  std::lock_guard lock(hostcuda::Table().mutex);
  hostcuda::Table().twins[registered->name] = std::move(registered);
}

void hostcuda_wait_for_release() {
  hostcuda::Gate& gate = hostcuda::EndlessGate();
  std::unique_lock lock(gate.mutex);
  gate.opened.wait(lock, [&gate, before = gate.openings] { return gate.openings != before; });
}

void hostcuda_release_endless_kernels() {
  hostcuda::Gate& gate = hostcuda::EndlessGate();
  std::lock_guard lock(gate.mutex);
  ++gate.openings;
  gate.opened.notify_all();
}

unsigned long long hostcuda_launches_without_twin() { return hostcuda::LaunchesWithoutTwin(); }

}  // extern "C"
