#include "interpose/eager/step_probes.h"

#include <algorithm>
#include <utility>

#include "interpose/probe/entered.h"

namespace graphtap::eager {
namespace {

// Several steps may be on their way, and executables need room too.
constexpr std::uint64_t kShareOfDeviceBytes = 4;
constexpr std::uint64_t kLeastSlotBytes = 1 << 18;

void RefuseAll(probe::Plan* plan, Skip why) {
  for (auto& site : plan->sites) {
    plan->refused.push_back({site.node, site.operand, site.bytes, why, std::move(site.rules)});
  }
  plan->sites.clear();
}

}  // namespace

StepProbes::StepProbes(shadow::Shadows& shadows, shadow::SiteBook& book, std::string key,
                       std::uint32_t executable, std::uint64_t number, std::uint64_t least_bytes)
    : shadows_(shadows),
      session_(shadows.shared().session),
      book_(book),
      key_(std::move(key)),
      executable_(executable),
      number_(number),
      least_bytes_(least_bytes),
      begin_ns_(session::Now()) {}

void StepProbes::Observe(std::span<const record::Node> nodes, const session::StreamRef& stream) {
  const auto& calls = session_.calls();
  const session::RelaxedCapture relaxed(calls);
  CUcontext context = nullptr;
  const bool usable = calls.stream_context != nullptr &&
                      calls.stream_context(stream.handle, &context) == CUDA_SUCCESS &&
                      !Capturing(stream.handle);
  std::optional<probe::Entered> entered;
  if (usable) entered.emplace(calls, context);
  probe::Plan plan = book_.SelectLast(key_, nodes);
  if (!plan.sites.empty()) {
    const auto why = entered && *entered ? Prepare(context) : Skip::several_contexts;
    if (why) RefuseAll(&plan, *why);
    if (!why && !first_stream_) first_stream_ = session_.StreamNumber(stream);
  }
  const std::size_t first = layout_.places.size();
  const std::uint64_t most = slot_ == nullptr ? book_.MostSlotBytes() : slot_->bytes;
  probe::AddToLayout(std::move(plan), most, &plan_, &layout_);
  if (layout_.places.size() > first && !lost_) Launch(first, stream);
}

// The probes of the places from `first` on. Another thread cannot ask for the per-thread stream.
void StepProbes::Launch(std::size_t first, const session::StreamRef& stream) {
  bool done = true;
  if (std::find(streams_.begin(), streams_.end(), stream) == streams_.end()) {
    streams_.push_back(stream);
    done = LaunchHead(stream.handle);
  }
  for (std::size_t place = first; place < layout_.places.size() && done; ++place) {
    done = LaunchProbe(static_cast<std::uint32_t>(place), stream.handle);
  }
  if (!done) lost_ = Loss::shadow_launch_failed;
  if (stream.thread != 0 && std::erase(streams_, stream) > 0) Join(stream);
}

// In a capture that began unseen, or somebody else's capture would be broken.
bool StepProbes::Capturing(CUstream stream) const {
  CUstreamCaptureStatus status{};
  const CUresult result = session_.calls().stream_capturing(stream, &status);
  return result != CUDA_SUCCESS || status != CU_STREAM_CAPTURE_STATUS_NONE;
}

// The context is entered. nullopt: there is a slot to write into, or the step is lost.
std::optional<Skip> StepProbes::Prepare(CUcontext context) {
  if (device_ == nullptr) device_ = shadows_.Ready();
  if (device_ == nullptr) return Skip::no_probe_kernels;
  if (device_->context() != context || device_->Dead()) return Skip::several_contexts;
  if (slot_ == nullptr && !lost_ && !TakeSlot()) lost_ = Loss::no_slot;
  return std::nullopt;
}

// Of the steps before, values may still wait to be fetched.
bool StepProbes::TakeSlot() {
  const auto& settings = session_.settings();
  for (const bool waited : {false, true}) {
    if (waited) {
      const auto limit = std::chrono::milliseconds(settings.wait_ms);
      shadows_.shared().drain.Wait(device_, std::chrono::steady_clock::now() + limit);
    }
    slots_ = std::make_shared<probe::SlotSet>(session_, *device_);
    std::uint64_t bytes = settings.device_bytes / kShareOfDeviceBytes;
    const std::uint64_t least = std::min(bytes, std::max(kLeastSlotBytes, least_bytes_));
    for (; slot_ == nullptr && bytes >= least; bytes /= 2) {
      slots_->SetSlotBytes(bytes);
      const auto enough = [this] { return slots_->TakeCell() && slots_->Prepare(1); };
      if (shadows_.MakeRoom(*device_, nullptr, enough)) slot_ = slots_->Take({});
    }
    if (slot_ != nullptr) break;
    slots_->Close();
  }
  if (slot_ == nullptr) return false;
  tools_ = {device_->kernels(), device_->context(), slots_->cell()};
  return true;
}

bool StepProbes::LaunchHead(CUstream stream) {
  probe::HeadArguments arguments{reinterpret_cast<probe::Cell*>(tools_.cell), slot_->address,
                                 number_, executable_, 0};
  void* pointers[] = {&arguments};
  return session_.calls().launch_kernel(tools_.kernels.head, 1, 1, 1, 1, 1, 1, 0, stream, pointers,
                                        nullptr) == CUDA_SUCCESS;
}

bool StepProbes::LaunchProbe(std::uint32_t place, CUstream stream) {
  auto arguments = probe::ArgumentsOf(layout_, plan_, place);
  arguments.probe.cell = reinterpret_cast<const probe::Cell*>(tools_.cell);
  void* pointers[] = {&arguments};
  const auto launch = shadow::ProbeParameters(tools_, layout_.places[place].kernel, pointers);
  return session_.calls().launch_kernel(launch.func, launch.gridDimX, 1, 1, launch.blockDimX, 1, 1,
                                        0, stream, pointers, nullptr) == CUDA_SUCCESS;
}

void StepProbes::End(record::GraphId graph, std::optional<record::GraphId> latest,
                     std::span<const record::Node> nodes, record::ThreadId thread) {
  probe::Replay replay;
  if (graph != latest) book_.ForgetRefusals();
  replay.observed = book_.DefineLaid(graph, nodes, std::move(plan_), std::move(layout_));
  replay.number = replay.stamp = number_;
  replay.stream = first_stream_.value_or(record::StreamId{});
  replay.thread = thread;
  replay.time_ns = begin_ns_;
  if (lost_) {
    probe::RecordDue(session_, replay, *lost_);
    replay.number = 0;
  }
  if (slot_ == nullptr) return;
  if (device_->Dead()) return probe::RecordDue(session_, replay, Loss::undrained);
  const session::RelaxedCapture relaxed(session_.calls());
  const probe::Entered entered(session_.calls(), device_->context());
  if (streams_.empty() && !joined_ && !astray_) {  // nothing was launched
    slots_->Give(slot_);
    return slots_->Close();
  }
  // Also of a step that is lost: what was launched writes into it.
  slot_->replay = std::move(replay);
  slot_->launches.fetch_add(1);
  if (entered && RecordEvent()) {
    shadows_.shared().drain.Add({slots_, slot_});
  } else {
    // The slot is lost: probes may be on their way to it.
    probe::RecordDue(session_, slot_->replay, Loss::drain_failed);
  }
  slots_->Close();
}

void StepProbes::JoinAll() {
  const std::vector<session::StreamRef> streams = std::exchange(streams_, {});
  if (streams.empty() || device_->Dead()) return;
  const session::RelaxedCapture relaxed(session_.calls());
  const probe::Entered entered(session_.calls(), device_->context());
  if (!entered) astray_ = true;
  for (const auto& stream : streams) {
    if (entered) Join(stream);
  }
}

void StepProbes::OnStreamDestroy(const session::StreamRef& stream) {
  if (std::erase(streams_, stream) == 0 || device_->Dead()) return;
  const session::RelaxedCapture relaxed(session_.calls());
  const probe::Entered entered(session_.calls(), device_->context());
  if (!entered) astray_ = true;
  if (entered) Join(stream);
}

// One event behind all streams: the job's own must not wait for one another.
bool StepProbes::RecordEvent() {
  const auto& calls = session_.calls();
  if (astray_) return false;
  if (!joined_ && streams_.size() == 1) {
    const CUstream stream = streams_.front().handle;
    return !Capturing(stream) && calls.event_record(slot_->event, stream) == CUDA_SUCCESS;
  }
  for (const auto& stream : streams_) Join(stream);
  return !astray_ && calls.event_record(slot_->event, device_->JoinStream()) == CUDA_SUCCESS;
}

// The context is entered.
void StepProbes::Join(const session::StreamRef& stream) {
  const auto& calls = session_.calls();
  const CUstream behind = device_->JoinStream();
  CUevent event = nullptr;
  bool joined = false;
  if (behind != nullptr && !Capturing(stream.handle) &&
      calls.event_create(&event, CU_EVENT_DISABLE_TIMING) == CUDA_SUCCESS) {
    joined = calls.event_record(event, stream.handle) == CUDA_SUCCESS &&
             calls.stream_wait_event(behind, event, 0) == CUDA_SUCCESS;
    calls.event_destroy(event);
  }
  (joined ? joined_ : astray_) = true;
}

}  // namespace graphtap::eager
