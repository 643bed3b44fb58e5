#include "analyzer/model/allocator.h"

#include <utility>

#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

constexpr std::size_t kListedDifferences = 10;

}  // namespace

// PyTorch 2.6 and 2.7 tell no pool of an event.
bool AllocatorReplay::Live::Is(const Live& there) const {
  const bool pool_told = pool_first != 0 || pool_second != 0;
  const bool same_pool = pool_first == there.pool_first && pool_second == there.pool_second;
  return requested == there.requested && stream == there.stream && pending == there.pending &&
         (!pool_told || same_pool);
}

AllocatorReplay::LiveBlocks AllocatorReplay::BlocksOf(const AllocatorState& state) {
  LiveBlocks blocks;
  for (const auto& segment : state.segments()) {
    for (const auto& block : segment.blocks()) {
      if (block.state() == Block::STATE_FREE) continue;
      blocks[block.address()] = {block.requested(), segment.stream(), segment.pool_first(),
                                 segment.pool_second(), block.state() == Block::STATE_PENDING};
    }
  }
  return blocks;
}

std::string AllocatorReplay::Difference(const Live& expected, const Live& there) {
  if (expected.requested != there.requested) {
    return absl::StrFormat("requested %u, then %u", expected.requested, there.requested);
  }
  if (expected.stream != there.stream) {
    return absl::StrFormat("stream 0x%x, then 0x%x", expected.stream, there.stream);
  }
  if (expected.pending != there.pending) {
    return expected.pending ? "given back, then not" : "not given back, then so";
  }
  return absl::StrFormat("pool %u,%u, then %u,%u", expected.pool_first, expected.pool_second,
                         there.pool_first, there.pool_second);
}

void AllocatorReplay::Apply(const AllocatorEvent& event) {
  const std::uint64_t address = event.address();
  if (event.action() == AllocatorEvent::ACTION_ALLOC) {
    blocks_[address] = {event.bytes(), event.stream(), event.pool_first(), event.pool_second(),
                        false};
  } else if (event.action() == AllocatorEvent::ACTION_FREE_REQUESTED) {
    const auto block = blocks_.find(address);
    if (block != blocks_.end()) block->second.pending = true;
  } else if (event.action() == AllocatorEvent::ACTION_FREE_COMPLETED) {
    blocks_.erase(address);
  }
}

void AllocatorReplay::Add(const AllocatorEvent& event) {
  ++allocator_.events;
  ++allocator_.by_action[event.action()];
  if (event.number() < next_) return;
  AdvanceTo(event.number());
  next_ = event.number() + 1;
  if (begun_ && lost_ == 0) Apply(event);
}

void AllocatorReplay::Add(const AllocatorState& state) {
  ++allocator_.states;
  if (!state.settled() || state.events() < next_) return;
  waiting_.emplace(state.events(), Waiting{state.label(), BlocksOf(state)});
}

// Events up to it have come or are lost.
void AllocatorReplay::AdvanceTo(std::uint64_t moment) {
  while (!waiting_.empty() && waiting_.begin()->first <= moment) {
    auto state = waiting_.extract(waiting_.begin());
    lost_ += state.key() - next_;
    next_ = state.key();
    Check(state.key(), std::move(state.mapped()));
  }
  lost_ += moment - next_;
  next_ = moment;
}

void AllocatorReplay::Check(std::uint64_t moment, Waiting state) {
  StateCheck check;
  check.label = std::move(state.label);
  check.moment = moment;
  check.blocks = state.blocks.size();
  check.lost = begun_ ? lost_ : 0;
  if (begun_ && lost_ == 0) Compare(state.blocks, &check);
  allocator_.checks.push_back(std::move(check));
  blocks_ = std::move(state.blocks);
  begun_ = true;
  lost_ = 0;
}

void AllocatorReplay::Compare(const LiveBlocks& there, StateCheck* check) const {
  const auto add = [&](std::uint64_t address, std::string why) {
    ++check->different;
    if (check->differences.size() < kListedDifferences) {
      check->differences.push_back({address, std::move(why)});
    }
  };
  for (const auto& [address, block] : blocks_) {
    const auto found = there.find(address);
    if (found == there.end()) {
      add(address, "not in the state");
    } else if (!block.Is(found->second)) {
      add(address, Difference(block, found->second));
    }
  }
  for (const auto& [address, block] : there) {
    if (!blocks_.contains(address)) add(address, "not by the events");
  }
}

Allocator AllocatorReplay::Finish() {
  if (!waiting_.empty()) AdvanceTo(waiting_.rbegin()->first);
  return std::exchange(allocator_, {});
}

}  // namespace graphtap::model
