// Launch order: which launches of one executable may go to its shadow. One executable never
// overlaps itself, but the job's and the shadow are two: what changes between them, and from stream
// to stream, is ordered by events. Owner: the shadow. Threads: any; one lock, not held over a
// driver call. Failure: a launch that cannot be ordered is not probed; the loss says why.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>

#include "interpose/probe/slots.h"
#include "proto/lists/losses.h"

namespace graphtap::shadow {

class LaunchOrder {
 public:
  struct Entry {
    bool probed = false;
    std::uint64_t serial = 0;  // of a plain launch that began alone; to be handed to Leave
    CUevent wait = nullptr;    // the stream is to wait for it before the launch
    std::optional<Loss> lost;  // why a due launch is not probed
  };

  // Begins a launch. While a probed one of another thread is on its way, waits for it, at most
  // `limit`; after that the probed one may not go on as such. Then asks `due`.
  Entry Enter(record::StreamId stream, std::chrono::milliseconds limit,
              const std::function<bool()>& due);

  // The probed launch is ready; from now on others wait until it is on its stream. False: another
  // has gone before it meanwhile.
  bool Commit();

  // The launch that was entered as a probed one is to be a plain one after all.
  void Downgrade();

  // Is an event to be recorded behind a plain launch?
  bool WantsEvent() const;

  // Ends a launch that succeeded. `event`: recorded behind it, or nullptr; of a probed launch, the
  // slot's, which need not be waited for once the slot has arrived.
  void Leave(record::StreamId stream, std::uint64_t serial, CUevent event, const probe::Slot* slot);

  // Ends a launch that failed: nothing is on the stream.
  void Fail(bool probed);

 private:
  struct Last {
    record::StreamId stream{};
    CUevent event = nullptr;
    const probe::Slot* slot = nullptr;
    std::uint64_t launch = 0;  // of the slot

    bool Arrived() const noexcept;
  };
  enum class Probed { kNone, kPreparing, kOvertaken, kCommitted };

  void AwaitProbed(std::unique_lock<std::mutex>* lock, std::chrono::milliseconds limit);
  void End(bool probed);

  mutable std::mutex mutex_;  // guards all below
  std::condition_variable changed_;
  std::optional<Last> last_;
  std::uint64_t serial_ = 0;       // of the launch that entered last
  unsigned plain_ = 0;             // launches on their way
  Probed probed_ = Probed::kNone;  // the one on its way
  bool several_streams_ = false;
  bool overlapped_ = false;  // launches were on their way at once: which came last?
};

}  // namespace graphtap::shadow
