#include "interpose/session/session.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <array>

#include "interpose/session/other_tools.h"
#include "interpose/session/run_description.h"
#include "interpose/session/state.h"

namespace graphtap::session {
namespace {

std::atomic<std::uint32_t> g_sessions{0};

// This thread's number, valid in the session that gave it.
struct ThreadNumber {
  std::uint32_t session;
  record::ThreadId id;
};
thread_local ThreadNumber t_number{0, record::ThreadId{}};

// The number of the stream that this thread named last.
struct StreamNumberOfThread {
  std::uint32_t session = 0;
  StreamRef stream;
  std::uint64_t generation = 0;
  record::StreamId id{};
};
thread_local StreamNumberOfThread t_stream;

// A thread's storage may be that of a thread before it; its serial is not.
std::atomic<std::uint64_t> g_threads{0};
thread_local std::uint64_t t_serial = 0;

std::string ThreadName() {
  std::array<char, 16> name{};
  if (pthread_getname_np(pthread_self(), name.data(), name.size()) != 0) return "";
  return name.data();
}

std::optional<std::uint32_t> DeviceOf(const driver::Calls& calls, const StreamRef& stream) {
  CUcontext context = stream.context;
  if (context == nullptr && (calls.stream_context == nullptr ||
                             calls.stream_context(stream.handle, &context) != CUDA_SUCCESS)) {
    return std::nullopt;
  }
  const bool known = calls.context_push != nullptr && calls.context_pop != nullptr &&
                     calls.context_device != nullptr;
  if (!known || calls.context_push(context) != CUDA_SUCCESS) return std::nullopt;
  CUdevice device = 0;
  const CUresult result = calls.context_device(&device);
  calls.context_pop(&context);
  if (result != CUDA_SUCCESS) return std::nullopt;
  return static_cast<std::uint32_t>(device);
}

}  // namespace

std::uint64_t Now() noexcept {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000u +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// One write, so that lines of several processes do not mix. What stderr does not take is lost, and
// a reader that has gone does not end the job.
void WriteLine(const std::string& text) noexcept try {
  const std::string line = text + '\n';
  sigset_t pipe, before;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &before);
  const bool broken = write(STDERR_FILENO, line.data(), line.size()) < 0 && errno == EPIPE;
  if (broken && sigismember(&before, SIGPIPE) == 0) {
    const timespec now{};
    sigtimedwait(&pipe, nullptr, &now);
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
} catch (...) {
  // No memory.
}

void Print(MessageCode code, LogLevel level, std::string_view detail, Times times) noexcept {
  static std::array<std::atomic<bool>, kMessages.size()> printed{};
  const MessageInfo& info = kMessages[static_cast<std::size_t>(code)];
  const bool wanted =
      level == LogLevel::info || (level == LogLevel::warning && info.severity != Severity::info);
  if (!wanted) return;
  if (printed[static_cast<std::size_t>(code)].exchange(true) && times == Times::kOnce) return;
  try {
    WriteLine(std::string("graphtap: ") + info.text + (detail.empty() ? "" : " ") +
              std::string(detail));
  } catch (...) {
  }
}

Session::Session(Settings settings, const driver::Calls& calls,
                 std::unique_ptr<record::Recorder> recorder)
    : settings_(std::move(settings)),
      calls_(calls),
      recorder_(std::move(recorder)),
      serial_(++g_sessions) {}

bool Session::Start(OnWriter before_flush, OnWriter collect) noexcept {
  std::string error;
  try {
    record::Recorder::Options options;
    options.folder = OutputFolder();
    options.zstd_level = settings_.zstd_level;
    options.host_bytes = settings_.host_bytes;
    options.rules = static_cast<std::uint32_t>(settings_.specification.rules.size());
    options.before_flush = std::move(before_flush);
    options.collect = std::move(collect);
    options.on_write_error = [this](const std::string& what) {
      Print(MessageCode::write_error, settings_.log, what);
    };
    record::Run run = DescribeRun(settings_, calls_);
    for (const OtherTool& tool : FindOtherTools()) {
      run.other_tools.push_back(tool.name);
      if (tool.changes_kernels) changes_kernels_ = tool.name;
    }
    recorder_ = record::Recorder::Start(options, run, &error);
    if (recorder_ != nullptr) {
      Print(MessageCode::recording, settings_.log, OutputFolder());
      for (const auto& tool : run.other_tools) Say(MessageCode::other_tool, tool);
      const bool probes = !settings_.specification.rules.empty();
      if (probes && !changes_kernels_.empty()) Say(MessageCode::no_probes, changes_kernels_);
      return true;
    }
  } catch (const std::exception& exception) {
    error = exception.what();
  }
  Print(MessageCode::cannot_create_file, settings_.log, error);
  return false;
}

StreamRef Session::DefaultStream(CUstream handle, bool per_thread) const noexcept {
  if (handle == nullptr) handle = per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  StreamRef stream{handle};
  if (calls_.context_current != nullptr) calls_.context_current(&stream.context);
  if (handle == CU_STREAM_LEGACY) return stream;
  if (t_serial == 0) t_serial = ++g_threads;
  stream.thread = t_serial;
  return stream;
}

record::ThreadId Session::CurrentThread() noexcept {
  return t_number.session == serial_ ? t_number.id : DefineThread();
}

[[gnu::noinline]] record::ThreadId Session::DefineThread() noexcept {
  try {
    record::Thread thread;
    thread.system_id = static_cast<std::uint32_t>(syscall(SYS_gettid));
    thread.name = ThreadName();
    thread.first_seen_ns = Now();
    t_number = {serial_, recorder_->Define(thread)};
  } catch (...) {
    recorder_->Count(Loss::internal);
    return record::ThreadId{};
  }
  return t_number.id;
}

record::StreamId Session::StreamNumber(const StreamRef& stream) noexcept {
  const std::uint64_t generation = stream_generation_.load(std::memory_order_relaxed);
  if (t_stream.session != serial_ || t_stream.stream != stream ||
      t_stream.generation != generation) {
    t_stream = {serial_, stream, generation, FindStream(stream)};
  }
  return t_stream.id;
}

record::StreamId Session::FindStream(const StreamRef& stream) noexcept {
  try {
    {
      const std::lock_guard lock(streams_mutex_);
      const auto found = streams_.find(stream);
      if (found != streams_.end()) return found->second;
    }
    record::Stream definition;
    definition.handle = reinterpret_cast<std::uint64_t>(stream.handle);
    if (stream.handle == CU_STREAM_LEGACY) definition.kind = record::StreamKind::kLegacy;
    if (stream.handle == CU_STREAM_PER_THREAD) definition.kind = record::StreamKind::kPerThread;
    definition.device = DeviceOf(calls_, stream);  // asks the driver: without the lock
    const std::lock_guard lock(streams_mutex_);
    const auto found = streams_.find(stream);  // another thread may have been faster
    if (found != streams_.end()) return found->second;
    return streams_.emplace(stream, recorder_->Define(definition)).first->second;
  } catch (...) {
    recorder_->Count(Loss::internal);
    return record::StreamId{};
  }
}

void Session::StreamDestroyed(CUstream handle) noexcept {
  const std::lock_guard lock(streams_mutex_);
  const auto found = streams_.find(StreamRef{handle});
  if (found == streams_.end()) return;
  recorder_->Retire(found->second);
  streams_.erase(found);
  stream_generation_.fetch_add(1, std::memory_order_relaxed);
}

void Session::Say(MessageCode code, const std::string& detail, Times times) noexcept {
  Print(code, settings_.log, detail, times);
  try {
    recorder_->Append(record::Message{static_cast<std::uint32_t>(code), detail, Now()});
  } catch (...) {
    recorder_->Count(Loss::internal);
  }
}

}  // namespace graphtap::session
