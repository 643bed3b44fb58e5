#include "interpose/eager/steps.h"

#include <algorithm>
#include <utility>

#include "interpose/nvtx/ranges.h"
#include "interpose/ops/tensors.h"

namespace graphtap::eager {
namespace {

// Of what precedes the first capture.
constexpr char kUnbounded[] = "eager";
constexpr char kNobody = 0;

// Of the calling thread, while it lives.
const void* Self() noexcept {
  thread_local const char self = 0;
  return &self;
}

}  // namespace

Steps::Steps(session::Session& session, graph::Graphs& graphs, graph::Executables& executables,
             shadow::Shadows& shadows, python::Python& python, ops::NameOfParameter name_of)
    : session_(session),
      graphs_(graphs),
      executables_(executables),
      shadows_(shadows),
      python_(python),
      name_of_(std::move(name_of)),
      wanted_(session.settings().eager && shadows.Wanted()),
      pattern_(session.settings().step) {
  if (wanted_ && pattern_.empty()) Begin(kUnbounded, &kNobody, 0);
}

// mutex_ is held, but by the constructor.
bool Steps::Begin(const std::string& range, const void* owner, std::uint64_t number) {
  if (series_.size() == kMostTexts && !series_.contains(range)) {
    session_.recorder().Count(Loss::step_lost);
    return false;
  }
  Series* series = nullptr;
  {
    const std::lock_guard lock(counts_mutex_);
    series = &series_.try_emplace(range, range).first->second;
  }
  range_.store(number, std::memory_order_relaxed);
  owner_.store(owner, std::memory_order_release);
  const std::uint64_t count = Count(series);
  if (!session_.settings().replays.Due(count)) return false;
  step_.emplace();
  step_->series = series;
  step_->number = count;
  step_->serial = next_serial_++;
  open_.store(true, std::memory_order_relaxed);
  return true;
}

std::uint64_t Steps::Count(Series* series) {
  const std::lock_guard lock(counts_mutex_);
  const std::uint64_t now = session::Now();
  auto& steps = series->steps;
  if (steps.last == 0) {
    steps.first = series->count + 1;
    steps.first_ns = now;
  }
  steps.last = ++series->count;
  steps.last_ns = now;
  return series->count;
}

bool Steps::OnRangeBegin(std::string_view text) noexcept {
  if (!wanted_ || pattern_.empty() || owner_.load(std::memory_order_relaxed) != nullptr ||
      !spec::Matches(pattern_, text)) {
    return false;
  }
  try {
    const std::lock_guard lock(mutex_);
    if (owner_.load(std::memory_order_relaxed) != nullptr) return false;
    return Begin(std::string(text), Self(), nvtx::NextNumber() - 1);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
    return false;
  }
}

bool Steps::OnRangeEnd() noexcept {
  if (owner_.load(std::memory_order_acquire) != Self() ||
      nvtx::IsOpen(range_.load(std::memory_order_relaxed))) {
    return false;
  }
  const std::lock_guard lock(mutex_);
  owner_.store(nullptr, std::memory_order_release);
  return step_ && Finish();
}

// A range goes on around a capture, and may end inside it.
bool Steps::BeforeCapture() noexcept {
  if (!Open()) return false;
  const std::lock_guard lock(mutex_);
  if (!step_) return false;
  if (owner_.load(std::memory_order_relaxed) == &kNobody) return Finish();
  if (step_->probes != nullptr) step_->probes->JoinAll();
  return false;
}

bool Steps::EndIn(CUcontext context) noexcept {
  return EndWhere([&](const probe::Device& device) { return device.context() == context; });
}

bool Steps::EndOn(CUdevice ordinal) noexcept {
  return EndWhere([&](const probe::Device& device) { return device.ordinal() == ordinal; });
}

bool Steps::EndWhere(const Where& where) noexcept {
  if (!Open()) return false;
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock.owns_lock()) {
    session_.recorder().Count(Loss::undrained);
    return false;
  }
  if (!step_) return false;
  const auto* device = step_->probes == nullptr ? nullptr : step_->probes->device();
  if (where && (device == nullptr || !where(*device))) return false;
  return Finish();
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
  if (step->ops == nullptr) return;
  step->ops->Finish();
  if (!step->probes->Any()) return;
  Series& series = *step->series;
  const auto model = step->ops->Model();
  std::optional<record::GraphId> latest;
  if (series.version != nullptr) latest = series.version->id();
  series.version = graphs_.VersionOf(series.graph.get(), model);
  if (series.key == nullptr) DefineExecutable(&series);
  series.slot_bytes = std::max(series.slot_bytes, step->probes->bytes());
  step->probes->End(series.version->id(), latest, *model.nodes, step->thread);
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
  const std::lock_guard lock(counts_mutex_);
  series->defined = true;
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
  python_.OnStepBegin();
  step->thread = session_.CurrentThread();
  step->probes = std::make_unique<StepProbes>(shadows_, *series.book, series.graph->key,
                                              series.executable, step->number, series.slot_bytes);
  step->ops = std::make_unique<StepOps>(forward_, name_of_);
}

// Ranges are counted by thread.
std::string Steps::ScopeHere() const {
  const void* owner = owner_.load(std::memory_order_relaxed);
  if (owner == &kNobody) return nvtx::PathFrom(0);
  return owner == Self() ? nvtx::PathFrom(range_.load(std::memory_order_relaxed) + 1) : "";
}

void Steps::OnOpBegin(const GraphtapOp& op, const session::StreamRef& stream, ops::OpenOp* opened) {
  if (!Open()) return;
  auto start = ops::StartOf(op, graphs_.InternName(op.name));
  opened->name = start.name;
  opened->leaf = start.kind == ops::Kind::kLeaf;
  const bool inner = start.kind == ops::Kind::kInner;
  if (inner && !start.sequence) return;
  if (!inner) start.stack = python_.stacks().Current();
  const std::lock_guard lock(mutex_);
  if (!step_) return;
  if (step_->ops == nullptr) Fill(&*step_);
  const std::string scope = ScopeHere();
  if (!scope.empty()) start.scope = graphs_.InternName(scope);
  start.parent = ops::InnermostOfStep(step_->serial);
  if (inner) return step_->ops->AddInner(start);
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
    // A signal handler that ends the process may have interrupted Count().
    const std::unique_lock lock(counts_mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    for (auto& [range, series] : series_) {
      if (!series.defined || series.steps.last == 0) continue;
      series.steps.executable = series.executable;
      session_.recorder().Append(series.steps);
      series.steps = {};
    }
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

}  // namespace graphtap::eager
