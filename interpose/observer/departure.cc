#include "interpose/observer/departure.h"

#include <time.h>

namespace graphtap::observer {
namespace {

// With what a signal handler may call.
template <typename Done>
void WaitUntil(Done done, std::chrono::milliseconds limit) noexcept {
  const std::uint64_t deadline =
      session::Now() + static_cast<std::uint64_t>(std::chrono::nanoseconds(limit).count());
  const timespec step{.tv_sec = 0, .tv_nsec = 100'000};
  while (!done() && session::Now() < deadline) nanosleep(&step, nullptr);
}

}  // namespace

void Departure::Leave(record::Recorder& recorder, int status,
                      std::chrono::milliseconds limit) noexcept {
  status_ = status;
  leaves_ = true;
  recorder.AskFlush();
  WaitUntil([&] { return recorder.Ended(); }, limit);
}

void Departure::BeforeExec(record::Recorder& recorder, std::chrono::milliseconds limit) noexcept {
  execs_ = true;
  const std::uint64_t flush = recorder.AskFlush();
  WaitUntil([&] { return recorder.Flushed(flush); }, limit);
}

}  // namespace graphtap::observer
