#include "interpose/shadow/probed.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "interpose/probe/entered.h"

namespace graphtap::shadow {
namespace {

constexpr unsigned kTries = 2;
constexpr std::chrono::seconds kStreamLimit{1};

constexpr std::size_t kFirstSlots = 8;

}  // namespace

Probed::Probed(Shared& shared, probe::Device& device, Origin origin)
    : shared_(shared),
      session_(shared.session),
      device_(device),
      origin_(std::move(origin)),
      slots_(std::make_shared<probe::SlotSet>(session_, device)),
      sites_(session_, shared.graphs, shared.addresses, shared.names, shared.actions,
             origin_.executable.number) {}

// Memory that the job has freed must not be read, even if the pointer is still among a kernel's
// arguments.
bool Probed::AnySiteGone() {
  const std::uint64_t frees = shared_.addresses.Frees();
  if (frees == frees_seen_) return false;
  frees_seen_ = frees;
  const auto& sites = observed_->plan.sites;
  return std::any_of(sites.begin(), sites.end(),
                     [&](const auto& site) { return !sites_.StillThere(site); });
}

std::size_t Probed::FirstSlots() const {
  const std::uint64_t share = session_.settings().device_bytes / kFirstSlots;
  const std::uint64_t fit = share / observed_->layout.slot_bytes;
  return std::clamp<std::size_t>(fit, 1, kFirstSlots);
}

// Others may be launching, or stuck in the driver: their events stay.
void Probed::End() {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock() || launching_ || gone_.exchange(true)) return;
  Dissolve();
}

void Probed::OnDestroy() {
  const std::lock_guard lock(mutex_);
  if (gone_.exchange(true)) return;
  Dissolve();
  if (plain_event_ != nullptr && !device_.Dead()) session_.calls().event_destroy(plain_event_);
  plain_event_ = nullptr;
}

void Probed::BeforeLaunch(const session::StreamRef& stream, LaunchTicket* ticket) noexcept {
  bool probed = false;
  try {
    if (gone_.load(std::memory_order_acquire)) return;
    ticket->stream = session_.StreamNumber(stream);
    const auto due = [&] {
      ticket->number = origin_.executable.replays.count() + 1;
      return session_.settings().replays.Due(ticket->number);
    };
    const auto entry = order_.Enter(ticket->stream, WaitLimit(), due);
    ticket->probed = this;
    ticket->serial = entry.serial;
    probed = entry.probed;
    if (entry.lost) ticket->lost = *entry.lost;
    if (!probed && entry.wait == nullptr) return;
    const bool capturing = Capturing(stream.handle);
    if (!capturing && entry.wait != nullptr) Wait(stream.handle, entry.wait);
    if (!probed) return;
    std::optional<Loss> lost = capturing ? Loss::shadow_failed : WhyUnusable(stream.handle);
    if (!lost) lost = Prepare(stream, ticket);
    if (!lost) return;
    ticket->lost = *lost;
  } catch (...) {
    ticket->lost = Loss::internal;
    const std::lock_guard lock(mutex_);
    launching_ = false;
  }
  if (probed) order_.Downgrade();
}

// A launch on a capturing stream fails; an event from outside would break the capture besides.
bool Probed::Capturing(CUstream stream) const noexcept {
  CUstreamCaptureStatus status{};
  const CUresult result = session_.calls().stream_capturing(stream, &status);
  return result == CUDA_SUCCESS && status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// Events belong to a context.
std::optional<Loss> Probed::WhyUnusable(CUstream stream) const noexcept {
  CUcontext context = nullptr;
  const CUresult result = session_.calls().stream_context(stream, &context);
  if (result != CUDA_SUCCESS) return Loss::shadow_failed;
  return context == device_.context() ? std::nullopt : std::optional(Loss::other_context);
}

std::chrono::milliseconds Probed::WaitLimit() const noexcept {
  return std::chrono::milliseconds(session_.settings().wait_ms);
}

// Takes a slot and tells the probes of it. Otherwise: why the launch is not probed.
std::optional<Loss> Probed::Prepare(const session::StreamRef& stream, LaunchTicket* ticket) {
  const probe::Entered entered(session_.calls(), device_.context());
  if (!entered) return Loss::shadow_failed;
  {
    const std::lock_guard lock(mutex_);
    if (const auto lost = MakeReady()) return lost;
    launching_ = true;
  }
  probe::Slot* slot = slots_->Take(WaitLimit());
  const std::lock_guard lock(mutex_);
  launching_ = false;
  if (slot == nullptr) return Loss::no_slot;
  const probe::HeadArguments arguments{nullptr, slot->address, ticket->number,
                                       origin_.executable.number, observed_->layout.stamps};
  std::optional<Loss> lost;
  if (gone_.load()) lost = Loss::undrained;  // the process ends
  if (!lost && slot->bytes < observed_->layout.slot_bytes) lost = Loss::mirror_failed;
  if (!lost && !order_.Commit()) lost = Loss::launch_overlap;
  probe::Replay replay = ReplayOf(*ticket, ticket->number);
  replay.stamp = ticket->number;
  if (!lost) lost = Arm(arguments, stream.handle, &ticket->instead);
  if (lost) {
    slots_->Give(slot);
    return lost;
  }
  launching_ = true;
  slot->replay = std::move(replay);
  ticket->slot = slot;
  return std::nullopt;
}

// mutex_ is held.
probe::Replay Probed::ReplayOf(const LaunchTicket& ticket, std::uint64_t number) {
  probe::Replay replay;
  replay.observed = observed_;
  replay.number = number;
  replay.stream = ticket.stream;
  replay.thread = session_.CurrentThread();
  replay.time_ns = session::Now();
  last_launch_ns_.store(replay.time_ns, std::memory_order_relaxed);
  return replay;
}

void Probed::OnRefused(LaunchTicket* ticket) noexcept {
  {
    const std::lock_guard lock(mutex_);
    launching_ = false;
  }
  slots_->Give(ticket->slot);
  order_.Downgrade();
  ticket->instead = nullptr;
  ticket->slot = nullptr;
  ticket->lost = Loss::shadow_launch_failed;
}

void Probed::AfterLaunch(const session::StreamRef& stream, LaunchTicket* ticket, CUresult result,
                         std::uint64_t number) noexcept {
  try {
    if (ticket->slot != nullptr) return FollowProbed(stream.handle, ticket, result, number);
    if (result != CUDA_SUCCESS) return order_.Fail(false);
    const CUevent event = order_.WantsEvent() ? RecordPlain(stream.handle) : nullptr;
    order_.Leave(ticket->stream, ticket->serial, event, nullptr);
    if (!session_.settings().replays.Due(number)) return;
    probe::Replay replay;
    {
      const std::lock_guard lock(mutex_);
      replay = ReplayOf(*ticket, number);
    }
    if (!replay.observed->plan.sites.empty()) RecordDue(session_, replay, ticket->lost);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

// The event behind a probed launch is what its order and its values rest on. `number` 0: there was
// no replay, or none that counts; what was launched beside it is on the stream nevertheless.
void Probed::FollowProbed(CUstream stream, LaunchTicket* ticket, CUresult launched,
                          std::uint64_t number) {
  probe::Slot* slot = ticket->slot;
  slot->replay.number = launched == CUDA_SUCCESS ? number : 0;
  slot->launches.fetch_add(1);
  {
    const std::lock_guard lock(mutex_);
    Disarm(stream);
    launching_ = false;
  }
  CUresult result = CUDA_ERROR_UNKNOWN;
  for (unsigned i = 0; i < kTries && result != CUDA_SUCCESS; ++i) {
    result = session_.calls().event_record(slot->event, stream);
  }
  if (result == CUDA_SUCCESS) {
    order_.Leave(ticket->stream, ticket->serial, slot->event, slot);
    shared_.drain.Add({slots_, slot});
    return;
  }
  const bool ended = AwaitStream(stream);
  probe::RecordDue(session_, slot->replay, Loss::drain_failed);
  if (ended) slots_->Give(slot);
  order_.Leave(ticket->stream, ticket->serial, nullptr, slot);
  if (ended) return;
  const std::lock_guard lock(mutex_);
  off_ = Loss::drain_failed;
}

// Nothing can be ordered behind the launch: it should have ended before anything else begins.
bool Probed::AwaitStream(CUstream stream) noexcept {
  const session::RelaxedCapture relaxed(session_.calls());
  const auto deadline = std::chrono::steady_clock::now() + kStreamLimit;
  while (session_.calls().stream_query(stream) == CUDA_ERROR_NOT_READY) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::yield();
  }
  return true;
}

// nullptr: there is none, and the next launch on another stream is not sampled.
CUevent Probed::RecordPlain(CUstream stream) noexcept {
  const std::lock_guard lock(mutex_);
  if (gone_.load()) return nullptr;
  if (plain_event_ == nullptr) {
    const probe::Entered entered(session_.calls(), device_.context());
    if (session_.calls().event_create(&plain_event_, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) {
      plain_event_ = nullptr;
      return nullptr;
    }
  }
  const CUresult result = session_.calls().event_record(plain_event_, stream);
  return result == CUDA_SUCCESS ? plain_event_ : nullptr;
}

// A shadow and the job's executable must not overlap.
void Probed::Wait(CUstream stream, CUevent event) noexcept {
  const auto& calls = session_.calls();
  for (unsigned i = 0; i < kTries; ++i) {
    if (calls.stream_wait_event(stream, event, 0) == CUDA_SUCCESS) return;
  }
  const session::RelaxedCapture relaxed(calls);
  calls.event_synchronize(event);
}

}  // namespace graphtap::shadow
