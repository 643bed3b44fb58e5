#include "interpose/eager/steps.h"

#include "interpose/nvtx/ranges.h"
#include "interpose/ops/tensors.h"

namespace graphtap::eager {
namespace {

// Of what precedes the first capture.
constexpr char kUnbounded[] = "eager";

}  // namespace

Steps::Steps(session::Session& session, graph::Graphs& graphs, graph::Executables& executables,
             shadow::Shadows& shadows, python::Stacks& stacks)
    : session_(session),
      graphs_(graphs),
      executables_(executables),
      shadows_(shadows),
      stacks_(stacks),
      wanted_(session.settings().eager && shadows.Wanted()),
      pattern_(session.settings().step) {
  if (wanted_ && pattern_.empty()) Begin(kUnbounded, 0, {});
}

bool Steps::Begin(const std::string& range, std::uint64_t range_number, std::thread::id thread) {
  if (series_.size() == kMostTexts && !series_.contains(range)) {
    session_.recorder().Count(Loss::step_lost);
    return false;
  }
  Series& series = series_.try_emplace(range, range).first->second;
  const std::uint64_t now = session::Now();
  if (series.steps.last == 0) {
    series.steps.first = series.count + 1;
    series.steps.first_ns = now;
  }
  series.steps.last = ++series.count;
  series.steps.last_ns = now;
  if (!session_.settings().replays.Due(series.count)) return false;
  step_.emplace();
  step_->series = &series;
  step_->number = series.count;
  step_->serial = next_serial_++;
  step_->range = range_number;
  step_->thread = thread;
  open_.store(true, std::memory_order_relaxed);
  return true;
}

bool Steps::OnRangeBegin(std::string_view text) noexcept {
  if (!wanted_ || pattern_.empty() || !spec::Matches(pattern_, text)) return false;
  try {
    const std::lock_guard lock(mutex_);
    if (step_) return false;
    return Begin(std::string(text), nvtx::NextNumber() - 1, std::this_thread::get_id());
  } catch (...) {
    session_.recorder().Count(Loss::internal);
    return false;
  }
}

bool Steps::OnRangeEnd() noexcept {
  if (!Open()) return false;
  const std::lock_guard lock(mutex_);
  const bool ends =
      step_ && step_->thread == std::this_thread::get_id() && !nvtx::IsOpen(step_->range);
  return ends && Finish();
}

bool Steps::BeforeCapture() noexcept {
  if (!Open()) return false;
  const std::lock_guard lock(mutex_);
  return step_ && step_->thread == std::thread::id() && Finish();
}

void Steps::OnStreamDestroy(const session::StreamRef& stream) noexcept {
  if (!Open()) return;
  try {
    const std::lock_guard lock(mutex_);
    if (step_ && step_->probes != nullptr) step_->probes->OnStreamDestroy(stream);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void Steps::End() noexcept {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (lock.owns_lock() && step_) Finish();
}

// mutex_ is held here and below.
bool Steps::Finish() {
  open_.store(false, std::memory_order_relaxed);
  try {
    Record(&*step_);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
  step_.reset();
  return true;
}

void Steps::Record(Step* step) {
  if (step->ops == nullptr || !step->probes->Any()) return;
  Series& series = *step->series;
  const auto model = step->ops->Model();
  series.version = graphs_.VersionOf(series.graph.get(), model);
  if (series.key == nullptr) DefineExecutable(&series);
  series.slot_bytes = step->probes->bytes();
  step->probes->End(series.version->id(), *model.nodes, step->thread_number);
}

void Steps::DefineExecutable(Series* series) {
  series->key = std::make_unique<const record::OwnedText>(session_.recorder(), series->graph->key);
  record::Executable definition;
  definition.number = series->executable;
  definition.graph = series->version->id();
  definition.key = series->key->id();
  definition.thread = session_.CurrentThread();
  definition.time_ns = session::Now();
  definition.call = session_.recorder().Intern("eager");
  session_.recorder().Define(definition);
}

// At its first operator.
void Steps::Fill(Step* step) {
  Series& series = *step->series;
  if (series.book == nullptr) {
    auto& shared = shadows_.shared();
    series.graph = graphs_.AddEager(series.range);
    series.executable = executables_.TakeNumber();
    series.book = std::make_unique<shadow::SiteBook>(
        session_, graphs_, shared.addresses, shared.names, shared.actions, series.executable);
  }
  step->thread_number = session_.CurrentThread();
  step->probes = std::make_unique<StepProbes>(shadows_, *series.book, series.graph->key,
                                              series.executable, step->number, series.slot_bytes);
  step->ops = std::make_unique<StepOps>(forward_);
}

// Ranges are counted by thread.
std::string Steps::ScopeOf(const Step& step) {
  if (step.thread == std::thread::id()) return nvtx::PathFrom(0);
  return step.thread == std::this_thread::get_id() ? nvtx::PathFrom(step.range + 1) : "";
}

void Steps::OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream, ops::OpenOp* opened) {
  if (!Open()) return;
  auto start = ops::StartOf(op, graphs_.InternName(op.name));
  opened->name = start.name;
  opened->leaf = start.kind == ops::Kind::kLeaf;
  if (start.kind == ops::Kind::kInner) return;
  start.stack = stacks_.Current();
  const std::lock_guard lock(mutex_);
  if (!step_) return;
  if (step_->ops == nullptr) Fill(&*step_);
  const std::string scope = ScopeOf(*step_);
  if (!scope.empty()) start.scope = graphs_.InternName(scope);
  start.parent = ops::InnermostOfStep(step_->serial);
  const std::size_t nodes = step_->ops->nodes().size();
  const auto number = step_->ops->Begin(std::move(start));
  if (!number) return session_.recorder().Count(Loss::step_cut);
  opened->step = step_->serial;
  opened->number = *number;
  opened->stream = stream;
  if (step_->ops->nodes().size() > nodes) step_->probes->Observe(step_->ops->nodes(), stream);
}

void Steps::OnOpEnd(const ops::OpenOp& op, const GraphtapOpResult& result) {
  if (result.tensor_count == 0) return;
  const std::lock_guard lock(mutex_);
  if (!step_ || step_->serial != op.step) return;
  const std::size_t nodes = step_->ops->nodes().size();
  step_->ops->End(op.number, ops::Tensors(result));
  if (step_->ops->nodes().size() > nodes) step_->probes->Observe(step_->ops->nodes(), op.stream);
}

void Steps::WriteReplays() noexcept {
  if (!wanted_) return;
  try {
    const std::lock_guard lock(mutex_);
    for (auto& [range, series] : series_) {
      if (series.key == nullptr || series.steps.last == 0) continue;
      series.steps.executable = series.executable;
      session_.recorder().Append(series.steps);
      series.steps = {};
    }
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

}  // namespace graphtap::eager
