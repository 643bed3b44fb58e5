#include "interpose/probe/drain.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>

#include "interpose/probe/entered.h"

namespace graphtap::probe {
namespace {

using namespace std::chrono_literals;

constexpr auto kPollInterval = 100us;
// One look never waits for a kernel; longer than this, the thread is stuck in the driver.
constexpr auto kLookLimit = 5s;
// At the end of a process, which has little time.
constexpr auto kLastLookLimit = 200ms;

// A thread with all signals blocked: they are the job's.
template <typename Body>
bool StartThread(Body body) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  bool started = true;
  try {
    std::thread(body).detach();
  } catch (...) {
    started = false;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

std::optional<Loss> LossOf(Decoded decoded) {
  if (decoded == Decoded::kDone) return std::nullopt;
  return decoded == Decoded::kOtherReplay ? Loss::wrong_slot : Loss::drain_failed;
}

}  // namespace

void RecordDue(session::Session& session, const Replay& replay, std::optional<Loss> lost) noexcept {
  if (replay.number == 0) return;
  auto& recorder = session.recorder();
  if (lost) recorder.Count(*lost);
  record::Replay due;
  due.executable = replay.observed->executable;
  due.number = replay.number;
  due.stream = replay.stream;
  due.thread = replay.thread;
  due.time_ns = replay.time_ns;
  due.sampled = !lost;
  due.lost = lost;
  recorder.Append(due);
  const auto what = lost ? record::RuleCount::kLost : record::RuleCount::kObserved;
  for (const auto& [rule, sites] : replay.observed->rules) recorder.Count(rule, what, sites);
}

bool Drain::Start() noexcept {
  try {
    const std::lock_guard lock(mutex_);
    if (started_) return true;
    started_ = StartThread([this] { Run(); });
    return started_;
  } catch (...) {
    return false;
  }
}

void Drain::Add(Pending pending) noexcept {
  bool wake = false;
  try {
    const std::lock_guard lock(mutex_);
    pending_.push_back(pending);
    wake = idle_;
  } catch (...) {
    RecordDue(session_, pending.slot->replay, Loss::internal);
    return;  // the slot is lost: its launch may not have run
  }
  if (wake) work_.notify_one();
}

void Drain::Run() noexcept {
  pthread_setname_np(pthread_self(), "graphtap-drain");
  // Events that the last of a slot set destroys must break nobody's capture either.
  const session::RelaxedCapture relaxed(session_.calls());
  Batch batch;
  std::unique_lock lock(mutex_);
  for (;;) {
    idle_ = true;
    work_.wait(lock, [this] { return stopping_ || (!pending_.empty() && paused_ == 0); });
    idle_ = false;
    if (stopping_) break;
    batch.swap(pending_);
    looking_ = true;
    looked_at_ = batch.size();
    lock.unlock();
    Look(&batch);
    lock.lock();
    // What has not arrived stays in front of what came meanwhile.
    pending_.splice(pending_.begin(), batch);
    looking_ = false;
    settled_.notify_all();
    if (actions_.MustEnd() && on_must_end_) {
      lock.unlock();
      on_must_end_();
      lock.lock();
    }
    if (!pending_.empty() && !stopping_) work_.wait_for(lock, kPollInterval);
  }
  stopped_ = true;
  settled_.notify_all();
}

// Takes out of `batch` what has arrived.
void Drain::Look(Batch* batch) noexcept {
  std::vector<Device*> devices;
  try {
    for (const Pending& pending : *batch) {
      Device* device = &pending.slots->device();
      if (std::find(devices.begin(), devices.end(), device) == devices.end()) {
        devices.push_back(device);
      }
    }
    for (Device* device : devices) LookAt(*device, batch);
  } catch (...) {
    // Out of memory: they are looked at again.
  }
  std::erase_if(*batch, [](const Pending& pending) { return pending.slot == nullptr; });
}

void Drain::LookAt(Device& device, Batch* batch) {
  const auto& calls = session_.calls();
  std::vector<Pending*> arrived;
  arrived.reserve(batch->size());
  const bool dead = device.Dead();
  std::optional<Entered> entered;
  if (!dead) entered.emplace(calls, device.context());
  for (Pending& pending : *batch) {
    if (pending.slot == nullptr || &pending.slots->device() != &device) continue;
    if (dead) {
      Settle(pending, Loss::undrained);
      continue;
    }
    const CUresult result =
        *entered ? calls.event_query(pending.slot->event) : CUDA_ERROR_INVALID_CONTEXT;
    if (result == CUDA_SUCCESS && pending.slot->replay.number != 0) arrived.push_back(&pending);
    if (result == CUDA_SUCCESS && pending.slot->replay.number == 0) Settle(pending, std::nullopt);
    if (result != CUDA_SUCCESS && result != CUDA_ERROR_NOT_READY) {
      Settle(pending, Loss::drain_failed);
    }
  }
  Read(device, arrived);
}

// As many as the staging memory holds are copied with one wait.
void Drain::Read(Device& device, std::vector<Pending*>& arrived) {
  for (std::size_t first = 0, last = 0; first < arrived.size(); first = last) {
    std::uint64_t bytes = 0;
    while (last < arrived.size()) {
      bytes += arrived[last]->slot->replay.observed->layout.slot_bytes;
      if (bytes > kStagingBytes) break;
      ++last;
    }
    if (last == first) {
      ReadLarge(device, *arrived[last++]);
    } else {
      ReadTogether(device, std::span(arrived).subspan(first, last - first));
    }
  }
}

// Not waited for.
bool Drain::Copy(Device& device, std::byte* to, std::uint64_t from, std::uint64_t bytes) noexcept {
  return session_.calls().copy_to_host(to, from, bytes, device.stream()) == CUDA_SUCCESS;
}

Decoded Drain::TryDecode(const Replay& replay, const SlotReader& read) noexcept {
  try {
    return Decode(replay, read, session_.recorder(), actions_);
  } catch (...) {
    return Decoded::kUnread;  // out of memory
  }
}

void Drain::ReadTogether(Device& device, std::span<Pending*> arrived) {
  std::byte* to = device.staging();
  bool copied = true;
  for (const Pending* pending : arrived) {
    const std::uint64_t bytes = pending->slot->replay.observed->layout.slot_bytes;
    copied = copied && Copy(device, to, pending->slot->address, bytes);
    to += bytes;
  }
  copied = session_.calls().stream_synchronize(device.stream()) == CUDA_SUCCESS && copied;
  const std::byte* from = device.staging();
  for (Pending* pending : arrived) {
    const SlotReader read = [&](std::uint64_t offset, std::uint64_t bytes) {
      return copied ? std::span(from + offset, bytes) : std::span<const std::byte>();
    };
    const Decoded decoded = TryDecode(pending->slot->replay, read);
    from += pending->slot->replay.observed->layout.slot_bytes;
    Settle(*pending, LossOf(decoded));
  }
}

// In windows of the staging memory: sites are read in the order in which they lie.
void Drain::ReadLarge(Device& device, Pending& pending) {
  const Slot& slot = *pending.slot;
  const std::uint64_t end = slot.replay.observed->layout.slot_bytes;
  std::uint64_t window = 0, window_end = 0;
  const SlotReader read = [&](std::uint64_t offset, std::uint64_t bytes) {
    if (offset < window || offset + bytes > window_end) {
      window = offset;
      window_end = std::min(offset + kStagingBytes, end);
      const bool copied =
          Copy(device, device.staging(), slot.address + window, window_end - window) &&
          session_.calls().stream_synchronize(device.stream()) == CUDA_SUCCESS;
      if (!copied) window_end = window;
    }
    if (offset + bytes > window_end) return std::span<const std::byte>();
    return std::span<const std::byte>(device.staging() + (offset - window), bytes);
  };
  Settle(pending, LossOf(TryDecode(slot.replay, read)));
}

void Drain::Settle(Pending& pending, std::optional<Loss> lost) noexcept {
  RecordDue(session_, pending.slot->replay, lost);
  pending.slots->Give(pending.slot);
  pending.slot = nullptr;
  looked_at_.fetch_sub(1);
}

bool Drain::HasPending(const Device* device) const noexcept {
  return looking_ || std::any_of(pending_.begin(), pending_.end(), [&](const Pending& pending) {
           return device == nullptr || &pending.slots->device() == device;
         });
}

void Drain::Wait(const Device* device, std::chrono::steady_clock::time_point deadline) noexcept {
  std::unique_lock lock(mutex_);
  settled_.wait_until(lock, deadline, [&] { return !started_ || !HasPending(device); });
}

void Drain::Finish(const Device* device, std::chrono::steady_clock::time_point deadline) noexcept {
  Wait(device, deadline);
  std::unique_lock lock(mutex_);
  ++paused_;
  settled_.wait_for(lock, device != nullptr ? kLookLimit : kLastLookLimit,
                    [this] { return !looking_; });
  --paused_;
  work_.notify_one();
  std::erase_if(pending_, [&](const Pending& pending) {
    if (device != nullptr && &pending.slots->device() != device) return false;
    RecordDue(session_, pending.slot->replay, Loss::undrained);
    return true;
  });
  // The thread is stuck in the driver with these.
  if (looking_ && device == nullptr) session_.recorder().Count(Loss::undrained, looked_at_);
}

void Drain::Pause(std::chrono::steady_clock::time_point deadline) noexcept {
  std::unique_lock lock(mutex_);
  ++paused_;
  settled_.wait_until(lock, deadline, [this] { return !looking_; });
}

void Drain::Resume() noexcept {
  const std::lock_guard lock(mutex_);
  --paused_;
  work_.notify_one();
}

bool Drain::Stop(std::chrono::steady_clock::time_point deadline) noexcept {
  std::unique_lock lock(mutex_);
  stopping_ = true;
  work_.notify_one();
  return settled_.wait_until(lock, deadline, [this] { return !started_ || stopped_; });
}

}  // namespace graphtap::probe
