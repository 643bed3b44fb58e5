// Adapter: what tells graphtap about a framework from inside: looked for when PyTorch is in the
// process, compared with it, loaded, and switched on while operators matter.
// Owner: the observer; an adapter once loaded stays. Threads: any. Failure: fail open: without an
// adapter nodes have no operators, and one message says why. May throw bad_alloc.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "interpose/abi/adapter.h"
#include "interpose/adapter/torch_build.h"
#include "interpose/session/session.h"

namespace graphtap::adapter {

// Whether an adapter that is missing may be made, which takes as long as a compiler.
enum class MayBuild : std::uint8_t { kNo, kYes };

class Adapter {
 public:
  // `host`: what the adapter calls; must stay.
  Adapter(session::Session& session, const GraphtapHost& host) : session_(session), host_(host) {}

  // If PyTorch has come into the process since the last call. True: it is loaded now.
  bool LoadIfThere(MayBuild may_build);

  // Tells of operators from now on or no longer, as `wanted` says, which is asked under a lock: of
  // several threads the last one to ask has the last word.
  void WatchOps(const std::function<bool()>& wanted) noexcept;

  // The host is told of the allocator's state before this returns, on this thread; or it is not.
  void TakeAllocatorState() noexcept;

 private:
  std::string FindOrBuild(const TorchBuild& torch, MayBuild may_build);
  bool Load(const std::string& path, const std::string& mark);

  session::Session& session_;
  const GraphtapHost& host_;
  std::mutex mutex_;  // guards all below
  bool tried_ = false;
  bool watching_ = false;
  GraphtapAdapter adapter_{};
  std::atomic<void (*)()> take_state_{nullptr};  // of the adapter; not guarded
};

}  // namespace graphtap::adapter
