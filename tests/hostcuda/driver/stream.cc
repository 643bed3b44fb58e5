#include "tests/hostcuda/driver/stream.h"

#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <utility>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/process.h"
#include "tests/hostcuda/driver/workers.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

std::uint64_t NextStreamId() {
  static std::atomic<std::uint64_t> next{1};
  return next++;
}

struct QueuedTask {
  Task task;
  Completions after;
  Completions done;
};

void RunQueued(Context& context, QueuedTask& queued) {
  WaitAll(queued.after);
  if (context.Error() == CUDA_SUCCESS) {
    CUresult result = queued.task();
    if (result != CUDA_SUCCESS) context.SetError(result);
  }
  queued.task = nullptr;
  for (const CompletionPtr& completion : queued.done) completion->Complete();
}

}  // namespace

struct Stream::Queue {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<QueuedTask> tasks;
  bool closed = false;
  bool has_worker = false;

  void Close() {
    const std::lock_guard lock(mutex);
    closed = true;
    changed.notify_all();
  }

  // Blocks until there is a task; false once the queue is closed and empty.
  bool Next(QueuedTask* next) {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return closed || !tasks.empty(); });
    if (tasks.empty()) return false;
    *next = std::move(tasks.front());
    tasks.pop_front();
    return true;
  }
};

Stream::Stream(Context& owner, StreamKind stream_kind, unsigned create_flags, int stream_priority)
    : context(owner),
      kind(stream_kind),
      flags(create_flags),
      priority(stream_priority),
      id(NextStreamId()),
      queue_(std::make_shared<Queue>()) {}

bool Stream::IsBlocking() const {
  return kind != StreamKind::kLegacy && (flags & CU_STREAM_NON_BLOCKING) == 0;
}

CompletionPtr Stream::Enqueue(Task task, Completions after, Completions records) {
  auto completion = std::make_shared<Completion>();
  records.push_back(completion);
  std::lock_guard order(context.order_);
  Completions rules = context.StreamOrder(*this);
  after.insert(after.end(), rules.begin(), rules.end());
  std::erase_if(after, [](const CompletionPtr& c) { return !c || c->IsComplete(); });
  last_ = completion;

  std::lock_guard lock(queue_->mutex);
  queue_->tasks.push_back({std::move(task), std::move(after), std::move(records)});
  queue_->changed.notify_one();
  if (!queue_->has_worker) {
    queue_->has_worker = true;
    const auto run = [queue = queue_, owner = context.shared_from_this()] {
      for (QueuedTask next; queue->Next(&next); next = {}) RunQueued(*owner, next);
    };
    Workers::Get().Start(run, [queue = queue_] { queue->Close(); });
  }
  return completion;
}

CompletionPtr Stream::Enqueue(Work work) {
  return Enqueue([work = std::move(work)] { return Run(work); });
}

Completions Stream::Pending() {
  std::lock_guard order(context.order_);
  Completions pending;
  if (kind == StreamKind::kLegacy) pending = context.BlockingStreams();
  pending.push_back(last_);
  return pending;
}

void Stream::Close() { queue_->Close(); }

CUresult ResolveStream(CUstream handle, std::shared_ptr<Stream>* stream) {
  bool legacy = handle == CU_STREAM_LEGACY || (handle == nullptr && !ThreadStreamScope::Active());
  bool thread = handle == CU_STREAM_PER_THREAD || (handle == nullptr && !legacy);
  if (legacy || thread) {
    std::shared_ptr<Context> context;
    CUresult result = RequireContext(&context);
    if (result != CUDA_SUCCESS) return result;
    *stream = legacy ? context->LegacyStream() : context->ThreadStream();
    return CUDA_SUCCESS;
  }
  *stream = Live<Stream>().Find(handle);
  return *stream ? (*stream)->context.Error() : CUDA_ERROR_INVALID_HANDLE;
}

CUresult Submit(Stream& stream, Work work) {
  CUresult result = CUDA_SUCCESS;
  if (CaptureWork(stream, work, &result)) return result;
  stream.Enqueue(std::move(work));
  return CUDA_SUCCESS;
}

}  // namespace hostcuda
