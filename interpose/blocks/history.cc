#include "interpose/blocks/history.h"

#include <algorithm>
#include <iterator>

namespace graphtap::blocks {

using record::AllocatorAction;

LiveBlocks::LiveBlocks(const History& history) : history_(history), at_(history.first) {
  for (const auto& block : history.at_first) {
    live_[block.address] = {block};
  }
}

// A block that is given out while another one still stands at its address has taken its place.
void LiveBlocks::MoveTo(std::uint64_t begin, std::uint64_t end) {
  const std::uint64_t last = history_.first + history_.events.size();
  begin = std::clamp(begin, at_, last);
  end = std::clamp(end, begin, last);
  // What is free at `begin` goes first, so that it does not hide who came after.
  for (; at_ < begin; ++at_) {
    const auto& event = history_.events[at_ - history_.first];
    if (event.action == AllocatorAction::kFreeCompleted) live_.erase(event.address);
    if (event.action == AllocatorAction::kAlloc) Give(event);
  }
  for (std::uint64_t i = at_; i < end; ++i) {
    const auto& event = history_.events[i - history_.first];
    if (event.action == AllocatorAction::kAlloc) Give(event);
  }
}

void LiveBlocks::Give(const record::AllocatorEvent& event) {
  live_[event.address] = {{event.address, event.bytes, event.pool, event.op}};
}

std::shared_ptr<const record::OperandBlock> LiveBlocks::Find(std::uint64_t address) {
  const auto behind = live_.upper_bound(address);
  if (behind == live_.begin()) return nullptr;
  auto& [block, shared] = std::prev(behind)->second;
  if (address >= block.address + block.bytes) return nullptr;
  if (shared == nullptr) shared = std::make_shared<const record::OperandBlock>(block);
  return shared;
}

}  // namespace graphtap::blocks
