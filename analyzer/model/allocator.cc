#include "analyzer/model/allocator.h"

#include <map>

#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

struct Live {
  std::uint64_t requested = 0, stream = 0, pool_first = 0, pool_second = 0;
  bool pending = false;

  // PyTorch 2.6 and 2.7 tell no pool of an event.
  bool Is(const Live& there) const {
    const bool pool_told = pool_first != 0 || pool_second != 0;
    const bool same_pool = pool_first == there.pool_first && pool_second == there.pool_second;
    return requested == there.requested && stream == there.stream && pending == there.pending &&
           (!pool_told || same_pool);
  }
};
using LiveBlocks = std::map<std::uint64_t, Live>;  // by address

LiveBlocks BlocksOf(const graphtap::AllocatorState& state) {
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

void Apply(const AllocatorEvent& event, LiveBlocks* blocks) {
  using Record = graphtap::AllocatorEvent;
  if (event.action == Record::ACTION_ALLOC) {
    (*blocks)[event.address] = {event.bytes, event.stream, event.pool_first, event.pool_second,
                                false};
  } else if (event.action == Record::ACTION_FREE_REQUESTED) {
    const auto block = blocks->find(event.address);
    if (block != blocks->end()) block->second.pending = true;
  } else if (event.action == Record::ACTION_FREE_COMPLETED) {
    blocks->erase(event.address);
  }
}

std::string Difference(const Live& expected, const Live& there) {
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

void Compare(const LiveBlocks& expected, const LiveBlocks& there, StateCheck* check) {
  for (const auto& [address, block] : expected) {
    const auto found = there.find(address);
    if (found == there.end()) {
      check->differences.push_back({address, "not in the state"});
    } else if (!block.Is(found->second)) {
      check->differences.push_back({address, Difference(block, found->second)});
    }
  }
  for (const auto& [address, block] : there) {
    if (!expected.contains(address)) check->differences.push_back({address, "not by the events"});
  }
}

}  // namespace

AllocatorEvent Compact(const graphtap::AllocatorEvent& record) {
  return {.number = record.number(),
          .address = record.address(),
          .bytes = record.bytes(),
          .stream = record.stream(),
          .pool_first = record.pool_first(),
          .pool_second = record.pool_second(),
          .time_ns = record.time_ns(),
          .device = record.device(),
          .thread = record.thread(),
          .op = record.op(),
          .action = record.action(),
          .has_op = record.has_op()};
}

std::vector<StateCheck> CheckStates(const Allocator& allocator) {
  std::vector<StateCheck> checks;
  LiveBlocks blocks;
  bool begun = false;
  std::uint64_t moment = 0;
  auto event = allocator.events.begin();
  for (const auto& state : allocator.states) {
    if (!state.settled()) continue;
    std::uint64_t lost = begun ? state.events() - moment : 0;
    for (; event != allocator.events.end() && event->number < state.events(); ++event) {
      if (!begun) continue;
      Apply(*event, &blocks);
      if (lost > 0) --lost;
    }
    const LiveBlocks there = BlocksOf(state);
    StateCheck check{state.label(), state.events(), there.size(), lost, {}};
    if (begun && lost == 0) Compare(blocks, there, &check);
    begun = true;
    moment = state.events();
    blocks = there;
    checks.push_back(std::move(check));
  }
  return checks;
}

}  // namespace graphtap::model
