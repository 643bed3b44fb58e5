// Thread owned: a State of each thread, made at its first use, freed at the thread's end.
// Owner: the thread. Threads: only the own thread reaches it. Failure: GetOrMake() may throw
// bad_alloc; without a free pthread key (the process has used up all) the state outlives its
// thread. No units.
#pragma once

#include <pthread.h>

namespace graphtap::threads {

template <typename State>
class ThreadOwned {
 public:
  // nullptr: not made yet, or the thread is at its end.
  static State* Get() noexcept { return own_; }

  static State& GetOrMake() {
    static const Key key;
    if (own_ == nullptr) {
      own_ = new State;
      if (key.made) pthread_setspecific(key.key, own_);
    }
    return *own_;
  }

 private:
  struct Key {
    Key() : made(pthread_key_create(&key, Free) == 0) {}
    pthread_key_t key = 0;
    bool made;
  };

  static void Free(void* state) {
    own_ = nullptr;
    delete static_cast<State*>(state);
  }

  // A plain pointer: a thread-local object with a destructor would be gone while the thread's last
  // calls still come.
  static inline constinit thread_local State* own_ = nullptr;
};

}  // namespace graphtap::threads
