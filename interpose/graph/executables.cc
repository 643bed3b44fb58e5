#include "interpose/graph/executables.h"

namespace graphtap::graph {
namespace {

// What this thread launched last, valid while the table is of that generation.
struct LastLaunch {
  const Executables* table;
  std::uint64_t generation;
  CUgraphExec executable;
  ExecutableState* state;
};
thread_local LastLaunch t_last{};

constexpr std::size_t kMostGone = 64;

}  // namespace

std::optional<std::uint32_t> Executables::OnInstantiate(const char* call, CUgraphExec executable,
                                                        CUgraph graph, CUresult result,
                                                        const std::string& range) {
  const bool made = result == CUDA_SUCCESS;
  GraphModel model;
  const auto version = made ? graphs_.Current(graph, range, &model) : graphs_.Known(graph);
  auto& recorder = session_.recorder();
  if (!made) {
    record::Update failed;
    failed.call = recorder.Intern(call);
    failed.result = static_cast<std::uint32_t>(result);
    if (version != nullptr) failed.graph = version->id();
    failed.thread = session_.CurrentThread();
    failed.time_ns = session::Now();
    recorder.Append(failed);
    return std::nullopt;
  }
  if (version == nullptr)
    return std::nullopt;  // counted; its launches count as of an unknown executable
  auto state = std::make_shared<ExecutableState>();
  state->handle = executable;
  state->made_of = state->current = version;
  record::Executable definition;
  definition.graph = version->id();
  const std::string key = graphs_.NextExecutableKey(graph, *version);
  state->key = std::make_unique<const record::OwnedText>(recorder, key);
  definition.key = state->key->id();
  cuuint64_t flags = 0;
  if (session_.calls().executable_flags != nullptr &&
      session_.calls().executable_flags(executable, &flags) == CUDA_SUCCESS) {
    definition.flags = flags;
  }
  definition.thread = session_.CurrentThread();
  definition.time_ns = session::Now();
  definition.call = recorder.Intern(call);
  {
    const std::unique_lock lock(mutex_);
    definition.number = state->number = next_number_++;
    recorder.Define(definition);
    auto& place = states_[executable];
    if (place != nullptr) WriteReplays(*place);  // its end was not seen
    place = state;
    generation_.fetch_add(1, std::memory_order_release);
  }
  state->companion = accompany_(*state, key, graph, *version, model, definition.flags);
  return definition.number;
}

std::uint32_t Executables::TakeNumber() {
  const std::unique_lock lock(mutex_);
  return next_number_++;
}

std::shared_ptr<ExecutableState> Executables::Take(CUgraphExec executable) noexcept {
  const std::unique_lock lock(mutex_);
  const auto found = states_.find(executable);
  if (found == states_.end()) return nullptr;
  auto state = std::move(found->second);
  states_.erase(found);
  generation_.fetch_add(1, std::memory_order_release);
  return state;
}

void Executables::OnDestroy(CUgraphExec executable, std::shared_ptr<ExecutableState> state,
                            CUresult result) {
  if (state == nullptr) return;
  if (result != CUDA_SUCCESS) {
    const std::unique_lock lock(mutex_);
    states_.emplace(executable, std::move(state));
    generation_.fetch_add(1, std::memory_order_release);
    return;
  }
  auto update = StartUpdate("cuGraphExecDestroy", *state, result);
  update.destroyed = true;
  session_.recorder().Append(update);
  session_.recorder().RetireExecutable(state->number);
  state->made_of = state->current = nullptr;
  state->key = nullptr;
  if (state->companion != nullptr) state->companion->OnDestroy();
  const std::unique_lock lock(mutex_);
  gone_.push_back(std::move(state));
  if (gone_.size() > kMostGone) gone_.pop_front();
}

// A frequent call: most threads launch one executable again and again.
ExecutableState* Executables::FindForLaunch(CUgraphExec executable) noexcept {
  const std::uint64_t generation = generation_.load(std::memory_order_acquire);
  if (t_last.executable == executable && t_last.generation == generation && t_last.table == this) {
    return t_last.state;
  }
  const std::shared_lock lock(mutex_);
  const auto found = states_.find(executable);
  if (found == states_.end()) return nullptr;
  t_last = {this, generation_.load(std::memory_order_relaxed), executable, found->second.get()};
  return t_last.state;
}

std::uint64_t Executables::OnLaunch(ExecutableState* state, const session::StreamRef& stream,
                                    CUresult result) noexcept {
  auto& recorder = session_.recorder();
  try {
    if (state == nullptr) {
      recorder.Count(Loss::unknown_executable);
    } else if (result == CUDA_SUCCESS) {
      return state->replays.Add(session_, stream, session::Now());
    } else {
      record::Replay failed;
      failed.executable = state->number;
      failed.stream = session_.StreamNumber(stream);
      failed.thread = session_.CurrentThread();
      failed.time_ns = session::Now();
      failed.error = static_cast<std::uint32_t>(result);
      recorder.Append(failed);
    }
  } catch (...) {
    recorder.Count(Loss::internal);
  }
  return 0;
}

void Executables::OnUpdate(const char* call, CUgraphExec executable, CUgraph graph, CUresult result,
                           const CUgraphExecUpdateResult* detail) {
  const auto state = Find(executable);
  if (state == nullptr) return;
  Companion* companion = result == CUDA_SUCCESS ? state->companion.get() : nullptr;
  PendingChange pending(companion);
  const bool done = result == CUDA_SUCCESS || result == CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE;
  GraphModel model;
  const auto version = done ? graphs_.Current(graph, "", &model) : graphs_.Known(graph);
  auto update = StartUpdate(call, *state, result);
  if (version != nullptr) update.graph = version->id();
  if (detail != nullptr) update.update_result = static_cast<std::uint32_t>(*detail);
  session_.recorder().Append(update);
  if (result != CUDA_SUCCESS || version == nullptr) return;
  if (companion != nullptr) companion->OnUpdate(graph, *version, model);
  pending.Told();
  const std::lock_guard lock(state->mutex);
  state->current = version;
}

std::shared_ptr<ExecutableState> Executables::Find(CUgraphExec executable) const noexcept {
  {
    const std::shared_lock lock(mutex_);
    const auto found = states_.find(executable);
    if (found != states_.end()) return found->second;
  }
  session_.recorder().Count(Loss::unknown_executable);
  return nullptr;
}

record::Update Executables::StartUpdate(const char* call, ExecutableState& state, CUresult result) {
  WriteReplays(state);
  record::Update update;
  update.executable = state.number;
  update.call = session_.recorder().Intern(call);
  update.result = static_cast<std::uint32_t>(result);
  update.thread = session_.CurrentThread();
  update.time_ns = session::Now();
  update.after_replay = state.replays.count();
  return update;
}

void Executables::WriteReplays() noexcept {
  try {
    const std::shared_lock lock(mutex_);
    for (const auto& [executable, state] : states_) WriteReplays(*state);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void Executables::WriteReplays(ExecutableState& state) {
  record::ReplayRange range;
  if (!state.replays.Take(&range)) return;
  range.executable = state.number;
  session_.recorder().Append(range);
}

}  // namespace graphtap::graph
