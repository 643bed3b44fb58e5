// PerThread: an object that each thread has of its own, made at its first use. Owner: a static.
// Threads: any. Failure: none. It differs from a thread_local in its end: the main thread's lives
// on in exit handlers, where CUDA calls still work; another thread's ends with the thread.
#pragma once

#include <pthread.h>

namespace hostcuda {

template <typename T>
class PerThread {
 public:
  PerThread() {
    pthread_key_create(&key_, [](void* object) { delete static_cast<T*>(object); });
  }
  PerThread(const PerThread&) = delete;
  PerThread& operator=(const PerThread&) = delete;

  T& Get() {
    if (void* object = pthread_getspecific(key_)) return *static_cast<T*>(object);
    T* object = new T;
    pthread_setspecific(key_, object);
    return *object;
  }

 private:
  pthread_key_t key_{};
};

}  // namespace hostcuda
