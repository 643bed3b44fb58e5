#include "interpose/torch/host.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <new>

namespace graphtap::torch {
namespace {

std::atomic<const GraphtapHost*> the_host{nullptr};

}  // namespace

bool SetHost(const GraphtapHost& host) noexcept {
  auto* copy = new (std::nothrow) GraphtapHost{};
  if (copy == nullptr) return false;
  std::memcpy(copy, &host, std::min<std::size_t>(host.size, sizeof(GraphtapHost)));
  the_host.store(copy, std::memory_order_release);
  return true;
}

const GraphtapHost& Host() noexcept { return *the_host.load(std::memory_order_acquire); }

}  // namespace graphtap::torch
