#include "interpose/adapter/adapter.h"

#include "interpose/adapter/adapter_file.h"
#include "interpose/driver/library.h"

namespace graphtap::adapter {
namespace {

// A compiler needs 10 to 60 s for it.
constexpr std::chrono::seconds kBuildLimit{300};

}  // namespace

bool Adapter::LoadIfThere(MayBuild may_build) {
  const std::string& setting = session_.settings().adapter;
  if (setting == "off") return false;
  std::optional<TorchBuild> torch;
  {
    const std::lock_guard lock(mutex_);
    if (tried_) return false;
    torch = FindTorch();
    if (!torch) return false;
    tried_ = true;
  }
  if (torch->version.empty()) {
    session_.Say(MessageCode::no_adapter, "this torch, which does not say its version");
    return false;
  }
  const std::string path = setting == "auto" ? FindOrBuild(*torch, may_build) : setting;
  return !path.empty() && Load(path, torch->Mark());
}

// Without the lock: captures go on meanwhile.
std::string Adapter::FindOrBuild(const TorchBuild& torch, MayBuild may_build) {
  std::string path = FindFile(torch);
  if (!path.empty()) return path;
  const std::string command = BuildCommand(torch);
  const bool build = may_build == MayBuild::kYes && !command.empty();
  if (build) session_.Say(MessageCode::adapter_build, "torch " + torch.version);
  if (build && Build(torch, kBuildLimit)) path = FindFile(torch);
  if (path.empty()) {
    const std::string how = command.empty() ? "" : ", to be made by: " + command;
    session_.Say(MessageCode::no_adapter, torch.Mark() + how);
  }
  return path;
}

// The loader takes one for another version in silence, which then reads wrong memory.
bool Adapter::Load(const std::string& path, const std::string& mark) {
  const auto refuse = [&](const std::string& why) {
    session_.Say(MessageCode::wrong_adapter, why);
    return false;
  };
  const auto found = MarkOf(path);
  if (found != mark) {
    const std::string what = !found           ? " cannot be read"
                             : found->empty() ? " is none"
                                              : " is for " + *found;
    return refuse(path + what + ", this is " + mark);
  }
  std::string error;
  void* library = driver::OpenLibrary(path, &error);
  if (library == nullptr) return refuse(error);
  const auto open =
      reinterpret_cast<GraphtapOpenAdapter>(driver::FindSymbol(library, GRAPHTAP_OPEN_ADAPTER));
  GraphtapAdapter adapter{};
  adapter.size = sizeof(adapter);
  if (open == nullptr || open(&host_, &adapter) != 0 ||
      adapter.version != GRAPHTAP_ADAPTER_VERSION) {
    return refuse(path + " does not work with this graphtap");
  }
  const std::lock_guard lock(mutex_);
  adapter_ = adapter;
  take_state_.store(adapter.take_allocator_state);
  if (adapter.watch_allocator != nullptr) adapter.watch_allocator();
  return true;
}

void Adapter::TakeAllocatorState() noexcept {
  if (const auto take = take_state_.load()) take();
}

void Adapter::WatchOps(const std::function<bool()>& wanted) noexcept {
  const std::lock_guard lock(mutex_);
  const bool on = wanted();
  if (adapter_.watch_ops == nullptr || watching_ == on) return;
  watching_ = on;
  adapter_.watch_ops(on ? 1 : 0);
}

}  // namespace graphtap::adapter
