// The life of the recording: begin, exit, fork.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include "interpose/observer/observer.h"
#include "interpose/observer/signal.h"
#include "interpose/session/state.h"

namespace graphtap::observer {
namespace {

using namespace std::chrono_literals;

// How long an exiting process waits for its last records to reach the file.
constexpr auto kExitLimit = 2000ms;
// How much of that the values of sampled replays may take to arrive.
constexpr auto kDrainLimit = 1700ms;
constexpr auto kBeginLimit = 5000ms;

std::timed_mutex g_begin_mutex;    // a second thread's cuInit waits until recording has begun
pid_t g_begun_in = 0;              // the process that recording was last tried in; guarded
std::atomic<bool> g_asked{false};  // cuInit came here, whatever the driver said

// Of a recording that is over, and stays: a leak checker of the job finds its memory by it.
std::atomic<Observer*> g_over{nullptr};

std::atomic<int> g_quick_exit_status{0};
// The process and its thread that end the job because a check failed.
std::atomic<pid_t> g_ending{0};
std::atomic<pthread_t> g_ender{};

// No other thread must end the job in another way before.
void AwaitEnder() noexcept {
  if (g_ending.load() != getpid() || pthread_equal(g_ender.load(), pthread_self()) != 0) return;
  std::this_thread::sleep_for(kExitLimit);
}

// Recording begins inside a call of the job that is no cancellation point.
class NoCancellation {
 public:
  NoCancellation() { pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before_); }
  ~NoCancellation() { pthread_setcancelstate(before_, nullptr); }
  NoCancellation(const NoCancellation&) = delete;
  NoCancellation& operator=(const NoCancellation&) = delete;

 private:
  int before_ = PTHREAD_CANCEL_ENABLE;
};

// The first call that graphtap cannot do without and this driver lacks; nullptr: none.
const char* MissingCall(const driver::Calls& calls) {
  if (calls.driver_version == nullptr) return "cuDriverGetVersion";
  if (calls.device_count == nullptr) return "cuDeviceGetCount";
  if (calls.device_get == nullptr) return "cuDeviceGet";
  if (calls.device_name == nullptr) return "cuDeviceGetName";
  if (calls.device_memory == nullptr) return "cuDeviceTotalMem";
  if (calls.device_attribute == nullptr) return "cuDeviceGetAttribute";
  if (calls.graph_nodes == nullptr) return "cuGraphGetNodes";
  if (calls.graph_edges == nullptr) return "cuGraphGetEdges";
  if (calls.node_type == nullptr) return "cuGraphNodeGetType";
  if (calls.child_graph == nullptr) return "cuGraphChildGraphNodeGetGraph";
  return nullptr;
}

// A library in front of this one that answers the job's look-ups itself hides the job: then cuInit
// was called, but never came here. No exit handler: one that is registered while the process starts
// runs behind the destructors of all libraries, and a look for the driver would construct it again.
__attribute__((destructor)) void SayIfUnseen() noexcept {
  if (g_asked.load() || !session::Enabled()) return;
  const auto* driver = driver::Loaded();
  if (driver == nullptr || driver->calls.context_current == nullptr) return;
  CUcontext context = nullptr;
  if (driver->calls.context_current(&context) == CUDA_ERROR_NOT_INITIALIZED) return;
  session::Print(MessageCode::unseen, LogLevel::warning, "");
}

}  // namespace

std::atomic<Observer*> Observer::active_{nullptr};

Observer::Observer(Settings settings, const driver::Calls& calls)
    : process_(getpid()),
      session_(std::move(settings), calls),
      addresses_(calls),
      functions_(session_),
      graphs_(session_, functions_, addresses_),
      shadows_(session_, graphs_, functions_, addresses_),
      executables_(session_, graphs_, MakeAccompany()),
      node_changes_(session_, functions_, graphs_, executables_, addresses_),
      allocator_(session_),
      points_(session_, allocator_),
      python_(session_),
      captures_(session_, graphs_, allocator_, points_, python_),
      steps_(session_, graphs_, executables_, shadows_, python_,
             [this](std::uint64_t address) { return captures_.NameOfParameter(address); }),
      framework_(session_, captures_, steps_, allocator_, points_, python_) {}

graph::Executables::Accompany Observer::MakeAccompany() {
  return [this](const graph::ExecutableState& state, const std::string& key, CUgraph graph,
                const graph::GraphVersion& version, const graph::GraphModel& model,
                std::uint64_t flags) -> std::shared_ptr<graph::Companion> {
    if (!shadows_.Wanted()) return nullptr;
    return shadows_.Make(state, key, graph, version, model, flags);
  };
}

void Observer::OnInit(CUresult result) noexcept {
  g_asked.store(true);
  if (result != CUDA_SUCCESS || !session::Enabled()) return;
  const NoCancellation no_cancellation;
  // A fork may have caught the lock held: then the child goes on unrecorded.
  // By the clock of the day: waits by the other one are hidden from thread sanitizers.
  const std::unique_lock lock(g_begin_mutex, std::chrono::system_clock::now() + kBeginLimit);
  if (!lock.owns_lock() || g_begun_in == getpid()) return;
  g_begun_in = getpid();
  Begin();
}

void Observer::Begin() noexcept {
  const auto* driver = driver::Loaded();
  if (driver == nullptr) return;
  if (const char* missing = MissingCall(driver->calls)) {
    session::Print(MessageCode::old_driver, LogLevel::warning, missing);
    return;
  }
  try {
    std::string error;
    auto settings = ParseSettings([](const char* name) { return getenv(name); }, &error);
    if (!settings) {
      session::Print(MessageCode::bad_setting, LogLevel::warning, error);
      return;
    }
    auto* observer = new Observer(std::move(*settings), driver->calls);
    if (!observer->shadows_.OpenReferences(&error)) {
      session::Print(MessageCode::bad_setting, LogLevel::warning, error);
      delete observer;
      return;
    }
    observer->shadows_.OnFailedCheck([observer] { observer->EndJob(); });
    if (!observer->session_.Start(
            [observer](record::Recorder& recorder) { observer->BeforeFlush(recorder); },
            [observer](record::Recorder&) {
              observer->allocator_.WriteEvents(blocks::EventBuffers::Which::kFull);
            })) {
      delete observer;
      return;
    }
    static std::once_flag once;
    std::call_once(once, [] {
      pthread_atfork(nullptr, nullptr, [] {
        g_over.store(active_.exchange(nullptr));
        LeaveSignalAlone();
      });
      // Right after cuInit: exit handlers run in reverse order, so this one before the driver's.
      on_exit(AtExit, nullptr);
      at_quick_exit([] {
        Framework::AtExit(0, nullptr);  // no destructors run
        AtExit(g_quick_exit_status, nullptr);
      });
    });
    active_.store(observer, std::memory_order_release);
    if (observer->points_.wanted().signal) HandleSignal();
    observer->python_.Prepare();
    observer->framework_.LoadIfThere(adapter::MayBuild::kYes);
    observer->framework_.WatchOps();
  } catch (...) {
    session::Print(MessageCode::internal_error, LogLevel::warning, "no memory");
  }
}

void Observer::BeforeFlush(record::Recorder& recorder) noexcept {
  Collect(recorder);
  if (!departure_.Asked()) return;
  // Who leaves may hold a lock of the driver: what there is goes to the file first.
  recorder.WriteNow();
  departure_.BeforeFlush(
      recorder,
      [this] {
        if (!shadows_.Wanted()) return;
        framework_.EndStep();
        shadows_.Settle(std::chrono::steady_clock::now() + kDrainLimit);
      },
      [this] { points_.OnExit(points::Points::State::kYes); });
  Collect(recorder);
}

void Observer::Collect(record::Recorder& recorder) noexcept {
  points_.BeforeFlush();
  executables_.WriteReplays();
  steps_.WriteReplays();
  allocator_.WriteEvents(blocks::EventBuffers::Which::kAll);
  recorder.Count(Loss::unknown_entry_point, session::TakeUnknownEntryPoints());
}

void Observer::AtExit(int status, void*) noexcept {
  Observer* observer = active_.exchange(nullptr);
  if (observer == nullptr) return AwaitEnder();
  g_over.store(observer);
  // Finish() runs BeforeFlush() once more. The observer stays: other threads may be inside it.
  const auto begin = std::chrono::steady_clock::now();
  observer->points_.OnExit(points::Points::State::kNo);
  observer->framework_.EndStep();
  if (observer->shadows_.Wanted()) observer->shadows_.Finish(begin + kDrainLimit);
  const auto spent = std::chrono::steady_clock::now() - begin;
  observer->session_.recorder().Finish(
      Departure::Exit(status),
      std::chrono::duration_cast<std::chrono::milliseconds>(kExitLimit - spent));
}

// After vfork the child has the parent's memory, but is not what is recorded.
Observer* Observer::OfThisProcess() noexcept {
  Observer* observer = Active();
  return observer != nullptr && observer->process_ == getpid() ? observer : nullptr;
}

void Observer::BeforeExit(int status) noexcept {
  if (OfThisProcess() == nullptr) return AwaitEnder();
  Observer* observer = active_.exchange(nullptr);
  if (observer == nullptr) return AwaitEnder();
  g_over.store(observer);
  observer->departure_.Leave(observer->session_.recorder(), status, kExitLimit);
}

void Observer::BeforeExec() noexcept {
  if (auto* observer = OfThisProcess()) {
    observer->departure_.BeforeExec(observer->session_.recorder(), kExitLimit);
  }
}

void Observer::OnExecFailed() noexcept {
  if (auto* observer = OfThisProcess()) observer->departure_.OnExecFailed();
}

void Observer::NoteQuickExit(int status) noexcept { g_quick_exit_status = status; }

// A failed check ends the job: what is recorded goes to the file first. On the drain's thread, so
// that a signal handler of the job runs on none of its own.
void Observer::EndJob() noexcept {
  g_ender.store(pthread_self());
  g_ending.store(getpid());
  active_.store(nullptr);
  g_over.store(this);
  session_.Say(MessageCode::check_abort, "GRAPHTAP_CHECK_ABORT is 1");
  shadows_.Settle({});
  record::End end;
  end.time_ns = session::Now();
  session_.recorder().Finish(end, kExitLimit);
  std::abort();
}

}  // namespace graphtap::observer
