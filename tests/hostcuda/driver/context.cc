#include "tests/hostcuda/driver/context.h"

#include <utility>

#include "tests/hostcuda/driver/event.h"
#include "tests/hostcuda/driver/memory.h"
#include "tests/hostcuda/driver/module.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

unsigned long long NextContextId() {
  static std::atomic<unsigned long long> next{1};
  return next++;
}

}  // namespace

Context::Context(int device_ordinal, bool is_primary, Context* primary_of_green)
    : device(device_ordinal), primary(is_primary), of(primary_of_green), id(NextContextId()) {}

void Context::SetError(CUresult error) {
  CUresult none = CUDA_SUCCESS;
  error_.compare_exchange_strong(none, error);
}

std::shared_ptr<Stream> Context::LegacyStream() {
  std::lock_guard order(order_);
  if (!legacy_) legacy_ = std::make_shared<Stream>(*this, StreamKind::kLegacy, 0, 0);
  return legacy_;
}

std::shared_ptr<Stream> Context::ThreadStream() {
  std::lock_guard order(order_);
  std::shared_ptr<Stream>& stream = thread_streams_[std::this_thread::get_id()];
  if (!stream) stream = std::make_shared<Stream>(*this, StreamKind::kPerThread, 0, 0);
  return stream;
}

std::shared_ptr<Stream> Context::CreateStream(unsigned stream_flags, int priority) {
  auto stream = std::make_shared<Stream>(*this, StreamKind::kCreated, stream_flags, priority);
  {
    std::lock_guard order(order_);
    created_.push_back(stream);
  }
  Live<Stream>().Add(stream);
  return stream;
}

bool Context::DestroyStream(Stream& stream) {
  std::shared_ptr<Stream> live = Live<Stream>().Remove(&stream);
  if (!live) return false;
  {
    std::lock_guard order(order_);
    std::erase(created_, live);
    std::erase_if(retired_, [](const CompletionPtr& c) { return c->IsComplete(); });
    if (live->last_) retired_.push_back(live->last_);
  }
  live->Close();
  return true;
}

Completions Context::BlockingStreams() const {
  Completions pending = retired_;
  for (const auto& stream : created_) {
    if (stream->IsBlocking()) pending.push_back(stream->last_);
  }
  for (const auto& [thread, stream] : thread_streams_) pending.push_back(stream->last_);
  return pending;
}

Completions Context::StreamOrder(const Stream& stream) const {
  if (stream.kind == StreamKind::kLegacy) return BlockingStreams();
  if (stream.IsBlocking() && legacy_) return {legacy_->last_};
  return {};
}

bool Context::AddPeer(const Context* peer) {
  std::lock_guard lock(peers_mutex_);
  return peers_.insert(peer).second;
}

bool Context::RemovePeer(const Context* peer) {
  std::lock_guard lock(peers_mutex_);
  return peers_.erase(peer) != 0;
}

bool Context::HasPeer(const Context* peer) const {
  std::lock_guard lock(peers_mutex_);
  return peers_.contains(peer);
}

Completions Context::Pending() {
  std::lock_guard order(order_);
  Completions pending = retired_;
  if (legacy_) pending.push_back(legacy_->last_);
  for (const auto& stream : created_) pending.push_back(stream->last_);
  for (const auto& [thread, stream] : thread_streams_) pending.push_back(stream->last_);
  return pending;
}

CUresult Context::Synchronize() {
  WaitAll(Pending());
  return Error();
}

void Context::Reset() {
  WaitAll(Pending());
  std::vector<std::shared_ptr<Stream>> streams;
  {
    std::lock_guard order(order_);
    streams = std::exchange(created_, {});
    for (auto& [thread, stream] : thread_streams_) streams.push_back(std::move(stream));
    thread_streams_.clear();
    if (legacy_) streams.push_back(std::move(legacy_));
    retired_.clear();
  }
  for (const auto& stream : streams) {
    Live<Stream>().Remove(stream.get());
    ForgetStream(*stream);
    stream->Close();
  }
  auto events = Live<Event>().RemoveIf([this](const Event& e) { return &e.context == this; });
  for (const auto& event : events) ForgetEvent(*event);
  ForgetModules(*this);
  Memory().FreeAll(*this);
  Live<Context>().ForEach([this](Context& other) { other.RemovePeer(this); });
  error_ = CUDA_SUCCESS;
}

}  // namespace hostcuda
