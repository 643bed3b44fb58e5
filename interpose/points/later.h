// Later: a thread for work that may have to wait for a lock of the job, so that neither the job nor
// the writer thread waits for it. It is started with the first work; jobs that never need it have
// no such thread. Owner: Points. Threads: any; it blocks all signals. Failure: false: there is no
// room or no thread, and the work is not done; what it throws is swallowed. Units: milliseconds.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace graphtap::points {

class Later {
 public:
  static constexpr std::size_t kMost = 16;  // that wait

  ~Later();

  bool Post(std::function<void()> work) noexcept;

  // Until all that was posted is done, and the thread has ended; false: the limit is over, and it
  // goes on. Nothing can be posted afterwards.
  bool Finish(std::chrono::milliseconds limit) noexcept;

 private:
  void Loop() noexcept;

  std::mutex mutex_;
  std::condition_variable wake_, ended_signal_;
  // Guarded by mutex_.
  std::deque<std::function<void()>> waiting_;
  bool started_ = false, stop_ = false, ended_ = false;
  std::thread thread_;
};

}  // namespace graphtap::points
