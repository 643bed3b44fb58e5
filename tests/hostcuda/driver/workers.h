// Workers: the threads of streams. A program may unload the library when it has destroyed its
// streams: their threads, which are about to end, are awaited then, for their code leaves memory.
// Owner: the process, never destroyed: threads of streams that live on run while it exits. Threads:
// any. Failure: a thread that does not end within 100 ms is left alone; std::system_error if none
// can be started. No units.
#pragma once

#include <pthread.h>
#include <sys/types.h>

#include <functional>
#include <mutex>
#include <vector>

namespace hostcuda {

class Workers {
 public:
  static Workers& Get();

  // `close`: makes it end when its work is done.
  void Start(std::function<void()> run, std::function<void()> close);

  // Before the library is unloaded, or the process exits.
  void End();

 private:
  struct Worker {
    pthread_t thread;
    pid_t process;  // a forked child has the list, not the threads
    std::function<void()> close;
  };

  std::mutex mutex_;  // guards all below
  std::vector<Worker> workers_;
};

}  // namespace hostcuda
