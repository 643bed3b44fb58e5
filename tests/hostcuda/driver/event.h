// Event: the latest record of a point in a stream. Owner: the live set. Threads: any. Failure:
// none. Units: milliseconds between two records.
#pragma once

#include <cuda.h>

#include <memory>
#include <mutex>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/driver/handles.h"

namespace hostcuda {

struct Context;

struct Event {
  Event(Context& owner, unsigned create_flags) : context(owner), flags(create_flags) {}

  CUevent Handle() { return reinterpret_cast<CUevent>(this); }

  // Starts a new record, which is the event's latest from now on: query says NOT_READY and waits
  // wait until the returned completion is completed (by RecordWork, or by who asked).
  CompletionPtr BeginRecord();
  // Makes `record` the latest record.
  void SetRecord(CompletionPtr record);
  // The latest record; null if the event was never recorded.
  CompletionPtr LatestRecord() const;

  Context& context;
  const unsigned flags;

 private:
  mutable std::mutex mutex_;
  CompletionPtr latest_;
};

}  // namespace hostcuda
