// Device: what graphtap has of its own in one context of the job: probe kernels, a stream, device
// memory within the budget, staging for copies. Made at the first graph that is probed in the
// context. Owner: Devices; never destroyed, because freeing would wait for the device.
// Threads: any. Failure: what the driver refuses is nullopt or false; Dead() once its context is
// gone: then nothing of it may be used. Units: bytes.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>
#include <vector>

#include "interpose/probe/arena.h"
#include "interpose/session/session.h"

namespace graphtap::probe {

inline constexpr std::uint64_t kStagingBytes = 1u << 20;

struct Kernels {
  CUfunction head = nullptr, hash = nullptr, digest = nullptr, strided = nullptr;
};

class Device {
 public:
  // In the current context of the calling thread. nullptr: *error is what the driver said.
  static std::unique_ptr<Device> Make(session::Session& session, CUresult* error);

  CUcontext context() const { return context_; }
  CUdevice ordinal() const { return ordinal_; }
  const Kernels& kernels() const { return kernels_; }
  CUstream stream() const { return stream_; }      // the drain's
  std::byte* staging() const { return staging_; }  // the drain's, kStagingBytes
  // On which streams of the job can be waited for together; the context is current. nullptr: the
  // driver gives none.
  CUstream JoinStream();

  // Device memory; `address` is to be returned with the same number of bytes. Whoever calls has
  // the context current and is in relaxed capture mode.
  std::optional<std::uint64_t> Take(std::uint64_t bytes);
  void Return(std::uint64_t address, std::uint64_t bytes) noexcept;

  // A Cell without a slot, for probes that run in every replay. What is returned is given out again
  // only after many others, because a replay of a destroyed executable may still look into it.
  std::optional<std::uint64_t> TakeCell();
  void ReturnCell(std::uint64_t address) noexcept;

  // Counts memory that the driver uses for a shadow. False: the budget has no room.
  bool Reserve(std::uint64_t bytes) noexcept;
  void Release(std::uint64_t bytes) noexcept;

  // The job's own memory comes first: is there enough besides?
  bool HasFreeMemory(std::uint64_t bytes) const noexcept;

  bool Dead() const noexcept { return dead_.load(std::memory_order_acquire); }
  void SetDead() noexcept { dead_.store(true, std::memory_order_release); }

 private:
  explicit Device(session::Session& session);
  CUresult Open();
  CUresult LoadKernels();
  std::optional<std::uint64_t> More(std::uint64_t bytes);
  bool MakeCells();

  session::Session& session_;
  CUcontext context_ = nullptr;
  CUdevice ordinal_ = 0;
  Kernels kernels_;
  CUstream stream_ = nullptr;
  std::byte* staging_ = nullptr;
  std::atomic<bool> dead_{false};
  std::mutex mutex_;  // guards all below
  Arena arena_;
  std::uint64_t used_ = 0;  // of the budget: chunks of the arena, shadows
  CUstream join_stream_ = nullptr;
  std::deque<std::uint64_t> cells_;       // returned, the oldest first
  std::vector<std::uint64_t> new_cells_;  // never given out
};

// All devices, by context.
class Devices {
 public:
  explicit Devices(session::Session& session) : session_(session) {}

  // That of the current context, made if need be. nullptr: there is none, for the reason in *error.
  Device* Current(CUresult* error);

  // Those for which `which` is true.
  std::vector<Device*> In(const std::function<bool(const Device&)>& which);

  // The context has ended, or does so now: the device is dead from then on.
  void Forget(CUcontext context) noexcept;

 private:
  session::Session& session_;
  std::mutex mutex_;  // guards all below
  std::unordered_map<CUcontext, std::unique_ptr<Device>> devices_;
  std::unordered_map<CUcontext, CUresult> failed_;  // not tried again
  std::vector<std::unique_ptr<Device>> gone_;
};

}  // namespace graphtap::probe
