// Steps: what PyTorch runs outside of captures, operator by operator, recorded as if each step were
// a replay of a graph whose nodes are the operators. A step is an occurrence of an NVTX range, or
// what precedes the first capture. Ranges of one text are one executable. Owner: the observer.
// Threads: any; one step is open at a time, and takes the operators of all threads. Failure: what
// cannot be recorded is counted; nothing throws but OnOpBegin and OnOpEnd. Units: steps, from 1.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "interpose/abi/adapter.h"
#include "interpose/eager/step_ops.h"
#include "interpose/eager/step_probes.h"
#include "interpose/graph/executables.h"
#include "interpose/ops/thread_ops.h"
#include "interpose/python/python.h"

namespace graphtap::eager {

class Steps {
 public:
  static constexpr std::size_t kMostTexts = 256;

  Steps(session::Session& session, graph::Graphs& graphs, graph::Executables& executables,
        shadow::Shadows& shadows, python::Python& python, ops::NameOfParameter name_of);

  // Whether operators are to be told of.
  bool Open() const noexcept { return open_.load(std::memory_order_relaxed); }

  // After a range was opened or closed on this thread. True: a step has begun, or ended.
  bool OnRangeBegin(std::string_view text) noexcept;
  bool OnRangeEnd() noexcept;
  // Before a capture begins, the first or a later one. True: a step has ended.
  bool BeforeCapture() noexcept;
  void OnStreamDestroy(const session::StreamRef& stream) noexcept;
  // The step that is open ends, because the process does, or its context or device. If a thread is
  // busy in it, it is lost. True: it has ended.
  using Where = std::function<bool(const probe::Device&)>;
  bool End() noexcept { return EndWhere(nullptr); }
  bool EndIn(CUcontext context) noexcept;
  bool EndOn(CUdevice ordinal) noexcept;

  // As Captures', for operators on streams that are not captured.
  void OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream, ops::OpenOp* opened);
  void OnOpEnd(const ops::OpenOp& op, const GraphtapOpResult& result);

  // On the writer thread: how many steps there have been.
  void WriteReplays() noexcept;

 private:
  // The ranges of one text, or what precedes the first capture.
  struct Series {
    explicit Series(std::string its_range) : range(std::move(its_range)) {}

    const std::string range;
    // Once one was due in which an operator ran.
    std::shared_ptr<graph::Graphs::Entry> graph;
    std::uint32_t executable = 0;
    std::unique_ptr<shadow::SiteBook> book;
    // Once one is recorded.
    std::unique_ptr<const record::OwnedText> key;
    std::shared_ptr<graph::GraphVersion> version;
    std::uint64_t slot_bytes = 0;  // the most that one needed
    // Guarded by counts_mutex_.
    std::uint64_t count = 0;    // of occurrences
    record::ReplayRange steps;  // not yet written, if last is not 0
    bool defined = false;       // as an executable
  };
  struct Step {
    Series* series = nullptr;
    std::uint64_t number = 0;  // in the series
    std::uint64_t serial = 0;  // of all
    record::ThreadId thread{};
    std::unique_ptr<StepOps> ops;        // once an operator ran
    std::unique_ptr<StepProbes> probes;  // the same
  };

  bool Begin(const std::string& range, const void* owner, std::uint64_t number);
  std::uint64_t Count(Series* series);
  void Fill(Step* step);
  std::string ScopeHere() const;
  bool EndWhere(const Where& where) noexcept;
  bool Finish();
  void Record(Step* step);
  void DefineExecutable(Series* series);

  session::Session& session_;
  graph::Graphs& graphs_;
  graph::Executables& executables_;
  shadow::Shadows& shadows_;
  python::Python& python_;
  const ops::NameOfParameter name_of_;
  const bool wanted_;
  const std::string pattern_;
  std::atomic<bool> open_{false};
  // The thread whose range is an occurrence, due or not, until it is closed; nullptr: none is. Set
  // with mutex_ held. A thread that is not it waits for no lock here at the end of a range: it may
  // be what the driver waits for.
  std::atomic<const void*> owner_{nullptr};
  std::atomic<std::uint64_t> range_{0};  // its number on that thread
  ops::ForwardOps forward_;
  std::mutex mutex_;  // guards the next two, and series but for counts
  std::optional<Step> step_;
  std::uint64_t next_serial_ = 1;
  std::mutex counts_mutex_;  // held for moments
  std::map<std::string, Series> series_;
};

}  // namespace graphtap::eager
