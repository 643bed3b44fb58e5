#include "tests/hostcuda/driver/workers.h"

#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <system_error>
#include <utility>

namespace hostcuda {
namespace {

constexpr long kLimitNs = 100'000'000, kSecondNs = 1'000'000'000;

using Run = std::function<void()>;

void* RunOne(void* run) {
  (*std::unique_ptr<Run>(static_cast<Run*>(run)))();
  return nullptr;
}

// With all signals blocked: a handler of the program must not hold up the work of a stream.
int CreateThread(pthread_t* thread, Run* run) {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int error = pthread_create(thread, nullptr, RunOne, run);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return error;
}

__attribute__((destructor)) void AtUnload() { Workers::Get().End(); }

}  // namespace

Workers& Workers::Get() {
  static auto& workers = *new Workers;
  return workers;
}

void Workers::Start(Run run, std::function<void()> close) {
  const std::lock_guard lock(mutex_);
  const pid_t self = getpid();
  std::erase_if(workers_, [&](const Worker& worker) {
    return worker.process != self || pthread_tryjoin_np(worker.thread, nullptr) == 0;
  });
  auto held = std::make_unique<Run>(std::move(run));
  pthread_t thread{};
  const int error = CreateThread(&thread, held.get());
  if (error != 0) throw std::system_error(error, std::generic_category(), "pthread_create");
  held.release();
  workers_.push_back({thread, self, std::move(close)});
}

// Without the lock: a stream starts its thread with its own lock held, which `close` takes too.
void Workers::End() {
  std::vector<Worker> workers;
  {
    const std::lock_guard lock(mutex_);
    workers.swap(workers_);
  }
  std::erase_if(workers, [](const Worker& worker) { return worker.process != getpid(); });
  for (const Worker& worker : workers) worker.close();
  timespec end;
  clock_gettime(CLOCK_REALTIME, &end);
  end.tv_nsec += kLimitNs;
  end.tv_sec += end.tv_nsec / kSecondNs;
  end.tv_nsec %= kSecondNs;
  for (const Worker& worker : workers) pthread_timedjoin_np(worker.thread, nullptr, &end);
}

}  // namespace hostcuda
