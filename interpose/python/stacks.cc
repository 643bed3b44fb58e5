#include "interpose/python/stacks.h"

#include <array>
#include <type_traits>

#include "interpose/python/self_test.h"

namespace graphtap::python {
namespace {

// Of the innermost frames; deeper ones are left out.
constexpr std::size_t kMostFrames = 128;
// A program cannot fill the file's definitions with stacks that never come again.
constexpr std::size_t kMostStacks = 1 << 16;

}  // namespace

void Stacks::Prepare(const Interpreter& interpreter) noexcept {
  if (!session_.settings().python_stacks) return;
  const State state = state_.load(std::memory_order_acquire);
  if (state != State::kAbsent && state != State::kUntested) return;
  try {
    const std::lock_guard lock(prepare_mutex_);
    if (state_.load() == State::kAbsent) Take(interpreter);
    if (state_.load() != State::kUntested || interpreter.is_initialized() == 0) return;
    state_.store(State::kAsked);
    // The queue may be full.
    if (interpreter.add_pending_call(OnPendingCall, this) != 0) state_.store(State::kUntested);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

void Stacks::Take(const Interpreter& interpreter) {
  interpreter_ = &interpreter;
  layout_ = LayoutOf(interpreter.minor);
  const std::string version = "3." + std::to_string(interpreter.minor);
  if (interpreter.free_threaded) return Refuse("this Python " + version + " has no GIL");
  if (layout_ == nullptr) return Refuse("this is Python " + version);
  state_.store(State::kUntested, std::memory_order_release);
}

void Stacks::Refuse(const std::string& why) {
  why_ = why;
  state_.store(State::kBad, std::memory_order_release);
}

// On the main thread, which holds the GIL between two instructions of Python.
int Stacks::OnPendingCall(void* stacks) noexcept {
  auto* self = static_cast<Stacks*>(stacks);
  if (getpid() == self->process_) self->Test();
  return 0;
}

void Stacks::Test() noexcept try {
  switch (TestLayout(*interpreter_, *layout_)) {
    case Verdict::kFits:
      book_.emplace(session_.recorder(), *layout_);
      return state_.store(State::kGood, std::memory_order_release);
    case Verdict::kDiffers:
      return Refuse(std::string("another layout than that of Python ") + interpreter_->version());
    default:
      state_.store(State::kUntested);
  }
} catch (...) {
  session_.recorder().Count(Loss::internal);
}

std::optional<record::StackId> Stacks::Lose(const std::string& why) noexcept {
  session_.recorder().Count(Loss::no_stack);
  if (!said_.exchange(true)) session_.Say(MessageCode::no_stacks, why);
  return std::nullopt;
}

bool Stacks::MayBe() const noexcept {
  return state_.load(std::memory_order_acquire) != State::kAbsent &&
         interpreter_->state_of_thread() != nullptr;
}

bool Stacks::IsOfMain(const void* thread) const noexcept {
  const void* interpreter = nullptr;
  ReadAt(DirectMemory(), thread, kStateInterpreter, &interpreter);
  return interpreter == interpreter_->main_interpreter();
}

std::vector<const void*> Stacks::CurrentCodes() const {
  std::vector<const void*> codes;
  if (state_.load(std::memory_order_acquire) != State::kGood) return codes;
  const void* thread = interpreter_->state_of_thread();
  if (thread == nullptr || !IsOfMain(thread)) return codes;
  std::array<Frame, kMostFrames> frames;
  const auto walked = Walk(DirectMemory(), *layout_, interpreter_->code_type, thread, frames);
  for (std::size_t i = 0; walked && i < walked->count; ++i) codes.push_back(frames[i].code);
  return codes;
}

std::optional<record::StackId> Stacks::Current() noexcept try {
  const State state = state_.load(std::memory_order_acquire);
  if (state == State::kAbsent) return std::nullopt;
  const void* thread = interpreter_->state_of_thread();
  if (thread == nullptr) return std::nullopt;
  if (state == State::kBad) return Lose(why_);
  if (state != State::kGood) return Lose("the main thread has run no Python since CUDA began");
  if (!IsOfMain(thread)) return Lose("in a sub-interpreter");
  const DirectMemory memory;
  std::array<Frame, kMostFrames> frames;
  const auto walked = Walk(memory, *layout_, interpreter_->code_type, thread, frames);
  if (!walked) return Lose("a frame without code");
  if (walked->count == 0) return std::nullopt;
  const std::lock_guard lock(mutex_);
  return Define({frames.data(), walked->count}, walked->cut);
} catch (...) {
  session_.recorder().Count(Loss::internal);
  return std::nullopt;
}

std::optional<record::StackId> Stacks::CurrentIfTested() noexcept {
  const State state = state_.load(std::memory_order_acquire);
  if (state != State::kUntested && state != State::kAsked) return Current();
  if (interpreter_->state_of_thread() != nullptr) session_.recorder().Count(Loss::no_stack);
  return std::nullopt;
}

std::optional<record::StackId> Stacks::Define(std::span<const Frame> frames, bool cut) {
  scratch_.frames.clear();
  scratch_.cut = cut;
  for (const Frame& frame : frames) {
    const auto record = book_->Record(frame);
    if (!record) return Lose("a name that is no text");
    scratch_.frames.push_back(*record);
  }
  static_assert(std::has_unique_object_representations_v<record::Frame>);
  const auto bytes = std::as_bytes(std::span(scratch_.frames));
  key_.assign(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  key_.push_back(cut ? '1' : '0');
  if (const auto found = known_.find(key_); found != known_.end()) return found->second;
  if (known_.size() >= kMostStacks) return Lose("more than 65,536 different places");
  return known_.emplace(key_, session_.recorder().Define(scratch_)).first->second;
}

}  // namespace graphtap::python
