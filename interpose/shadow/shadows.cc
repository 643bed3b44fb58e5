#include "interpose/shadow/shadows.h"

#include <algorithm>
#include <map>

#include "interpose/probe/entered.h"

namespace graphtap::shadow {
namespace {

// The budget of host memory is for clones and for what waits to be written: half for each.
std::uint64_t MostCloneBytes(const Settings& settings) { return settings.host_bytes / 2; }

}  // namespace

// They came with CUDA 12.0.
bool CanProbe(const driver::Calls& calls) {
#define GT_CALL(member, base, symbol, version, type)
#define GT_PROBE_CALL(member, base, symbol, version, type) \
  if (calls.member == nullptr) return false;
#include "interpose/driver/calls.inc"
#undef GT_PROBE_CALL
#undef GT_CALL
  return calls.kernel_params != nullptr;
}

Shadows::Shadows(session::Session& session, graph::Graphs& graphs, graph::Functions& functions,
                 const memory::AddressBook& addresses)
    : shared_{session,
              graphs,
              functions,
              addresses,
              KernelNameCache(functions),
              values::Actions(session),
              probe::Drain(session, shared_.actions)},
      devices_(session),
      wanted_(!session.settings().specification.rules.empty()) {}

std::shared_ptr<Probed> Shadows::Make(const graph::ExecutableState& executable,
                                      const std::string& key, CUgraph graph,
                                      const graph::GraphVersion& version,
                                      const graph::GraphModel& model, std::uint64_t flags) {
  const Probed::Origin origin{executable, key, flags};
  auto preparation = TakePreparation(graph);
  if (preparation && !preparation->why) {
    auto probed = std::make_shared<InPlace>(shared_, origin, std::move(preparation->planned));
    Keep(probed);
    probed->Begin(version.id(), model);
    return probed;
  }
  const auto& calls = shared_.session.calls();
  std::optional<Skip> why;
  if (preparation) why = preparation->why;
  if (!shared_.session.changes_kernels().empty()) why = Skip::other_tool;
  if (!why && !CanProbe(calls)) why = Skip::old_driver;
  if (!why) why = probe::WhyUncloned(*model.nodes, flags);
  CUcontext context = nullptr;
  if (!why) why = FindContext(model, &context);
  std::optional<probe::Entered> entered;
  if (!why) entered.emplace(calls, context);
  SiteBook book(shared_.session, shared_.graphs, shared_.addresses, shared_.names, shared_.actions,
                executable.number);
  auto plan = book.Select(key, *model.nodes);
  if (plan.sites.empty() && plan.refused.empty()) return nullptr;
  CUresult error = preparation ? preparation->error : CUDA_SUCCESS;
  std::shared_ptr<Shadow> shadow;
  if (!why) {
    probe::Device* device = *entered ? devices_.Current(&error) : nullptr;
    if (!*entered) error = CUDA_ERROR_INVALID_CONTEXT;
    if (device == nullptr || !shared_.drain.Start()) {
      why = Skip::no_probe_kernels;
    } else {
      shadow = std::make_shared<Shadow>(*this, shared_, *device, origin);
      why = shadow->Begin(graph, version.id(), model, plan, &error);
    }
  }
  if (!why) {
    Keep(shadow);
    return shadow;
  }
  for (auto& site : plan.sites) {
    plan.refused.push_back({site.node, site.operand, site.bytes, *why, std::move(site.rules)});
  }
  plan.sites.clear();
  book.Define(version.id(), *model.nodes, std::move(plan), {});
  RecordNone(executable.number, *why, error);
  return nullptr;
}

probe::Device* Shadows::Ready() {
  if (!shared_.session.changes_kernels().empty() || !CanProbe(shared_.session.calls())) {
    return nullptr;
  }
  CUresult error = CUDA_SUCCESS;
  probe::Device* device = devices_.Current(&error);
  return device != nullptr && shared_.drain.Start() ? device : nullptr;
}

void Shadows::Keep(const std::shared_ptr<Probed>& probed) {
  const std::lock_guard lock(mutex_);
  std::erase_if(probed_, [](const auto& other) { return other.expired(); });
  probed_.push_back(probed);
}

// Where the probes run: in the context of the graph's kernels.
std::optional<Skip> Shadows::FindContext(const graph::GraphModel& model, CUcontext* context) const {
  const auto& calls = shared_.session.calls();
  if (calls.context_current(context) != CUDA_SUCCESS) *context = nullptr;
  CUcontext of_kernels = nullptr;
  for (std::size_t i = 0; i < model.nodes->size(); ++i) {
    CUDA_KERNEL_NODE_PARAMS_v2 parameters{};
    if (!(*model.nodes)[i].parameters.kernel) continue;
    if (calls.kernel_params(model.handles[i], &parameters) != CUDA_SUCCESS) continue;
    if (parameters.ctx == nullptr) continue;
    if (of_kernels != nullptr && parameters.ctx != of_kernels) return Skip::several_contexts;
    of_kernels = parameters.ctx;
  }
  if (of_kernels != nullptr) *context = of_kernels;
  return *context == nullptr ? std::optional(Skip::several_contexts) : std::nullopt;
}

void Shadows::RecordNone(std::uint32_t executable, Skip why, CUresult error) {
  record::Shadow none;
  none.executable = executable;
  none.skip = static_cast<std::uint32_t>(why);
  none.error = static_cast<std::uint32_t>(error);
  none.time_ns = session::Now();
  shared_.session.recorder().Append(none);
}

std::vector<std::shared_ptr<Probed>> Shadows::All() {
  std::vector<std::shared_ptr<Probed>> all;
  const std::lock_guard lock(mutex_);
  for (const auto& weak : probed_) {
    if (auto shadow = weak.lock()) all.push_back(std::move(shadow));
  }
  return all;
}

bool Shadows::Reserve(probe::Device& device, std::uint64_t bytes, const Probed* for_whom) {
  return MakeRoom(device, for_whom, [&] { return device.Reserve(bytes); });
}

bool Shadows::MakeRoom(probe::Device& device, const Probed* for_whom,
                       const std::function<bool()>& enough) {
  if (enough()) return true;
  // By the last launch as it is now: others go on launching.
  std::multimap<std::uint64_t, std::shared_ptr<Probed>> others;
  for (auto& other : All()) {
    if (other.get() == for_whom || &other->device() != &device) continue;
    others.emplace(other->last_launch_ns(), std::move(other));
  }
  for (const auto& [launched, other] : others) {
    if (other->Evict() && enough()) return true;
  }
  return false;
}

bool Shadows::ReserveHost(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  if (host_used_ + bytes > MostCloneBytes(shared_.session.settings())) return false;
  host_used_ += bytes;
  return true;
}

void Shadows::ReleaseHost(std::uint64_t bytes) noexcept {
  const std::lock_guard lock(mutex_);
  host_used_ -= bytes;
}

void Shadows::EndContexts(const std::vector<probe::Device*>& devices, bool still_there) {
  for (probe::Device* device : devices) {
    const auto deadline = std::chrono::steady_clock::now() +
                          (still_there ? kContextEndLimit : std::chrono::milliseconds(0));
    if (!still_there) device->SetDead();
    shared_.drain.Finish(device, deadline);
    for (const auto& shadow : All()) {
      if (&shadow->device() == device) shadow->OnDestroy();
    }
    device->SetDead();
    devices_.Forget(device->context());
  }
}

void Shadows::BeforeContextEnd(CUcontext context) {
  EndContexts(devices_.In([&](const probe::Device& device) { return device.context() == context; }),
              true);
}

std::vector<probe::Device*> Shadows::Of(CUdevice ordinal) {
  return devices_.In([&](const probe::Device& device) { return device.ordinal() == ordinal; });
}

void Shadows::BeforePrimaryReset(CUdevice ordinal) { EndContexts(Of(ordinal), true); }

// It may be the last release: nothing of ours may be on its way then, or is not touched.
void Shadows::BeforePrimaryRelease(CUdevice ordinal) {
  for (probe::Device* device : Of(ordinal)) {
    shared_.drain.Wait(device, std::chrono::steady_clock::now() + kReleaseLimit);
  }
  shared_.drain.Pause(std::chrono::steady_clock::now() + kContextEndLimit);
}

void Shadows::AfterPrimaryRelease(CUdevice ordinal) {
  unsigned flags = 0;
  int active = 1;
  const auto ask = shared_.session.calls().primary_context_state;
  const bool ended = ask != nullptr && ask(ordinal, &flags, &active) == CUDA_SUCCESS && active == 0;
  if (ended) EndContexts(Of(ordinal), false);
  shared_.drain.Resume();
}

void Shadows::Finish(std::chrono::steady_clock::time_point deadline) noexcept {
  Settle(deadline);
  if (!shared_.drain.Stop(deadline + kStopGrace)) return;
  // They hold references to the job's user objects, which others may wait for while they end.
  try {
    const session::RelaxedCapture relaxed(shared_.session.calls());
    for (const auto& shadow : All()) shadow->End();
  } catch (...) {
    // Out of memory: they stay.
  }
}

}  // namespace graphtap::shadow
