// Context: the streams, sticky error and lifetime of one CUDA context. Owner: the live set; a
// primary context keeps its address for the life of the process. Threads: any; the stack of current
// contexts is each thread's own. Failure: a sticky error makes all later calls fail. No units.
#pragma once

#include <cuda.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/driver/handles.h"
#include "tests/hostcuda/driver/stream.h"

namespace hostcuda {

struct Context : std::enable_shared_from_this<Context> {
  Context(int device_ordinal, bool is_primary, Context* primary_of_green = nullptr);

  CUcontext Handle() { return reinterpret_cast<CUcontext>(this); }

  CUresult Error() const { return error_.load(); }
  // Keeps the first error of the context's life.
  void SetError(CUresult error);

  std::shared_ptr<Stream> LegacyStream();
  std::shared_ptr<Stream> ThreadStream();  // of the calling thread
  std::shared_ptr<Stream> CreateStream(unsigned flags, int priority);
  // Takes the stream out of the context; its queued work still runs. False if it was not in it.
  bool DestroyStream(Stream& stream);

  // Completions of all work that was queued so far, of destroyed streams too.
  Completions Pending();
  // Waits for all of it; returns the sticky error.
  CUresult Synchronize();
  // Waits, closes the streams, frees the memory, forgets the error, makes the handles in it stale.
  void Reset();

  // Contexts of other devices whose memory kernels of this one may use. False: it was so already.
  bool AddPeer(const Context* peer);
  bool RemovePeer(const Context* peer);
  bool HasPeer(const Context* peer) const;

  // Whose modules and memory are used in it.
  Context& Root() { return of == nullptr ? *this : *of; }

  const int device;
  const bool primary;
  Context* const of;  // of a green context: the primary one
  const unsigned long long id;
  std::atomic<unsigned> flags{0};

 private:
  friend struct Stream;
  // All of these need order_ held.
  Completions StreamOrder(const Stream& stream) const;
  Completions BlockingStreams() const;

  std::atomic<CUresult> error_{CUDA_SUCCESS};
  std::mutex order_;  // the order in which work enters the streams of the context
  std::shared_ptr<Stream> legacy_;
  std::map<std::thread::id, std::shared_ptr<Stream>> thread_streams_;
  std::vector<std::shared_ptr<Stream>> created_;
  Completions retired_;  // the last work of destroyed streams
  mutable std::mutex peers_mutex_;
  std::set<const Context*> peers_;
};

// The calling thread's current context, null if none.
std::shared_ptr<Context> CurrentContext();
// CUDA_SUCCESS and *context, or INVALID_CONTEXT (none), CONTEXT_IS_DESTROYED, the sticky error.
CUresult RequireContext(std::shared_ptr<Context>* context);

// The stack of the calling thread.
void PushCurrent(CUcontext context);
CUresult PopCurrent(CUcontext* context);
void SetCurrent(CUcontext context);  // replaces the top; null pops it
CUcontext CurrentHandle();

}  // namespace hostcuda
