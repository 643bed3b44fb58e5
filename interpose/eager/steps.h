// Steps: what PyTorch runs outside of captures, operator by operator, recorded as if each step were
// a replay of a graph whose nodes are the operators. A step is an occurrence of an NVTX range, or
// what precedes the first capture. Ranges of one text are one executable. Owner: the observer.
// Threads: any; one step is open at a time, and takes the operators of all threads. Failure: what
// cannot be recorded is counted; nothing throws but OnOpBegin and OnOpEnd. Units: steps, from 1.
#pragma once

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "interpose/abi/adapter.h"
#include "interpose/eager/step_ops.h"
#include "interpose/eager/step_probes.h"
#include "interpose/graph/executables.h"
#include "interpose/ops/thread_ops.h"
#include "interpose/python/stacks.h"

namespace graphtap::eager {

class Steps {
 public:
  static constexpr std::size_t kMostTexts = 256;

  Steps(session::Session& session, graph::Graphs& graphs, graph::Executables& executables,
        shadow::Shadows& shadows, python::Stacks& stacks);

  // Whether operators are to be told of.
  bool Open() const noexcept { return open_.load(std::memory_order_relaxed); }

  // After a range was opened or closed on this thread. True: a step has begun, or ended.
  bool OnRangeBegin(std::string_view text) noexcept;
  bool OnRangeEnd() noexcept;
  // Before the first capture begins, and later ones. True: a step has ended.
  bool BeforeCapture() noexcept;
  void OnStreamDestroy(const session::StreamRef& stream) noexcept;
  // The step that is open ends, because what it needs does, unless a thread is busy in it.
  void End() noexcept;

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
    std::uint64_t count = 0;  // of occurrences
    // Once one was due in which an operator ran.
    std::shared_ptr<graph::Graphs::Entry> graph;
    std::uint32_t executable = 0;
    std::unique_ptr<shadow::SiteBook> book;
    // Once one is recorded.
    std::unique_ptr<const record::OwnedText> key;
    std::shared_ptr<graph::GraphVersion> version;
    std::uint64_t slot_bytes = 0;  // of the last one
    record::ReplayRange steps;     // not yet written, if last is not 0
  };
  struct Step {
    Series* series = nullptr;
    std::uint64_t number = 0;  // in the series
    std::uint64_t serial = 0;  // of all
    std::uint64_t range = 0;   // number of the range on its thread
    std::thread::id thread;    // nobody's: there is no range
    record::ThreadId thread_number{};
    std::unique_ptr<StepOps> ops;        // once an operator ran
    std::unique_ptr<StepProbes> probes;  // the same
  };

  bool Begin(const std::string& range, std::uint64_t range_number, std::thread::id thread);
  void Fill(Step* step);
  static std::string ScopeOf(const Step& step);
  bool Finish();
  void Record(Step* step);
  void DefineExecutable(Series* series);

  session::Session& session_;
  graph::Graphs& graphs_;
  graph::Executables& executables_;
  shadow::Shadows& shadows_;
  python::Stacks& stacks_;
  const bool wanted_;
  const std::string pattern_;
  std::atomic<bool> open_{false};
  ops::ForwardOps forward_;
  std::mutex mutex_;  // guards all below
  std::map<std::string, Series> series_;
  std::optional<Step> step_;
  std::uint64_t next_serial_ = 1;
};

}  // namespace graphtap::eager
