// Stream: a queue of work with a thread of its own. Work of one stream runs in order; the legacy
// stream and the blocking streams of a context wait for one another as CUDA says. Owner: the live
// set and the worker; a destroyed stream ends once its queue is empty. Threads: any. Failure: the
// result of a piece of work becomes the context's sticky error; later work of the context is
// skipped.
#pragma once

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>

#include "tests/hostcuda/driver/completion.h"
#include "tests/hostcuda/driver/handles.h"
#include "tests/hostcuda/driver/work.h"

namespace hostcuda {

enum class StreamKind { kLegacy, kPerThread, kCreated };

using Task = std::function<CUresult()>;

struct Stream : std::enable_shared_from_this<Stream> {
  Stream(Context& owner, StreamKind stream_kind, unsigned create_flags, int stream_priority);

  CUstream Handle() { return reinterpret_cast<CUstream>(this); }
  // True if the stream and the legacy stream wait for each other (never for the legacy stream).
  bool IsBlocking() const;

  // Queues a task behind the stream's earlier work, the work that the legacy rules name, and
  // `after`. The task runs on the worker, unless the context is in error by then; it is destroyed
  // before the returned completion is set. `records` are completed with it, whether or not the task
  // ran. Never blocks.
  CompletionPtr Enqueue(Task task, Completions after = {}, Completions records = {});
  // The same for one Work.
  CompletionPtr Enqueue(Work work);
  // What must be over for the stream to be idle; for the legacy stream the blocking streams too.
  Completions Pending();
  // No more work comes: the worker ends when the queue is empty.
  void Close();

  Context& context;
  const StreamKind kind;
  const unsigned flags;
  const int priority;
  const std::uint64_t id;

 private:
  struct Queue;
  friend struct Context;

  std::shared_ptr<Queue> queue_;
  CompletionPtr last_;  // guarded by the context's order lock
};

// The stream that a call's argument names: null is the legacy stream, or the thread's own one
// inside a *_ptsz call; CU_STREAM_LEGACY and CU_STREAM_PER_THREAD name these. Sets *stream, or
// returns CUDA_ERROR_INVALID_HANDLE (a stale handle), CUDA_ERROR_INVALID_CONTEXT (none is current),
// or the sticky error of the stream's context.
CUresult ResolveStream(CUstream handle, std::shared_ptr<Stream>* stream);

// Runs `work` on the stream, or gives it to the capture that the stream is in.
CUresult Submit(Stream& stream, Work work);

}  // namespace hostcuda
