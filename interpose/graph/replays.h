// Replays: the launches of one executable, counted; what happened since the last range that was
// written. Owner: the executable's state. Threads: any, its own lock. Allocates only when a launch
// comes on a stream that the open range has not seen. Failure: none. Units: nanoseconds.
#pragma once

#include <mutex>
#include <vector>

#include "interpose/session/session.h"

namespace graphtap::graph {

class Replays {
 public:
  // A successful launch at `time_ns`; its number.
  std::uint64_t Add(session::Session& session, const session::StreamRef& stream,
                    std::uint64_t time_ns);

  // All launches so far: the number of the last one.
  std::uint64_t count() const noexcept;

  // The launches since the last call, but for the executable's number; false if there were none.
  bool Take(record::ReplayRange* range);

 private:
  mutable std::mutex mutex_;
  std::uint64_t count_ = 0;
  std::uint64_t taken_ = 0;  // launches that ranges were made of
  std::uint64_t first_ns_ = 0, last_ns_ = 0;
  std::vector<record::StreamId> streams_;
};

}  // namespace graphtap::graph
