#include "interpose/observer/signal.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

#include <atomic>

#include "interpose/observer/observer.h"

namespace graphtap::observer {
namespace {

constexpr int kSignal = SIGUSR2;

// A child of vfork has its parent's memory, but is not what is recorded.
std::atomic<pid_t> g_process{0};

bool IsDefault(const struct sigaction& action) {
  return (action.sa_flags & SA_SIGINFO) == 0 && action.sa_handler == SIG_DFL;
}

// A process that is not recorded, or no longer, ends by it, as it would without graphtap: as soon
// as this handler has returned.
void OnSignal(int number) {
  const int before = errno;
  auto* observer = getpid() == g_process.load() ? Observer::Active() : nullptr;
  if (observer != nullptr) {
    observer->points().OnSignal();
  } else {
    signal(number, SIG_DFL);
    raise(number);
  }
  errno = before;
}

}  // namespace

void HandleSignal() noexcept {
  struct sigaction before{}, ours{};
  g_process.store(getpid());
  if (sigaction(kSignal, nullptr, &before) != 0 || !IsDefault(before)) return;
  ours.sa_handler = OnSignal;
  ours.sa_flags = SA_RESTART | SA_ONSTACK;
  sigemptyset(&ours.sa_mask);
  if (sigaction(kSignal, &ours, &before) != 0 || IsDefault(before)) return;
  sigaction(kSignal, &before, nullptr);  // the job was faster
}

void LeaveSignalAlone() noexcept {
  struct sigaction now{};
  if (sigaction(kSignal, nullptr, &now) != 0) return;
  const bool ours = (now.sa_flags & SA_SIGINFO) == 0 && now.sa_handler == OnSignal;
  if (ours) signal(kSignal, SIG_DFL);
}

}  // namespace graphtap::observer
