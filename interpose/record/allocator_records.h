// Allocator records: what a framework's caching allocator of device memory did, and its state at
// some moments. The rules of records.h hold; streams are the driver's handles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpose/record/records.h"

namespace graphtap::record {

struct Pool {
  std::uint64_t first = 0, second = 0;
};

// What torch.compile calls the code in which a capture began.
struct CompiledRegion {
  std::uint32_t capture = 0;
  StringId compile_id{};
};

// A file of generated code, and what it was made of.
struct CompiledFile {
  StringId name{}, compile_id{};
  StringId file{}, function{};
  std::uint32_t line = 0;
};

// `bytes`: of its elements. `captures`: so many had begun, if one made us look. `gone`: it is there
// no longer. `time_ns`: one for all that was seen together.
struct ParameterPointer {
  StringId name{};
  std::uint64_t address = 0, bytes = 0;
  std::optional<std::uint32_t> captures{};
  bool gone = false;
  std::uint64_t time_ns = 0;
};

// Numbers as AllocatorEvent.Action in trace.proto.
enum class AllocatorAction : std::uint8_t {
  kAlloc = 0,
  kFreeRequested = 1,
  kFreeCompleted = 2,
  kSegmentAlloc = 3,
  kSegmentFree = 4,
  kSegmentMap = 5,
  kSegmentUnmap = 6,
  kOutOfMemory = 7,
};

struct AllocatorEvent {
  std::uint64_t number = 0;  // counts from 0 in the process
  AllocatorAction action{};
  std::uint32_t device = 0;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t stream = 0;
  Pool pool{};
  ThreadId thread{};
  std::uint64_t time_ns = 0;
  std::optional<StringId> op{};
  std::optional<StackId> stack{};
};

enum class BlockState : std::uint8_t { kFree = 0, kPending = 1, kAllocated = 2 };

struct Block {
  BlockState state{};
  std::uint64_t address = 0, bytes = 0, requested = 0;
};

struct Segment {
  std::uint32_t device = 0;
  std::uint64_t address = 0, bytes = 0;
  std::uint64_t stream = 0;
  Pool pool{};
  bool expandable = false;
  std::vector<Block> blocks{};
};

struct AllocatorState {
  std::string label{};
  std::uint64_t events = 0;  // how many came before it
  bool settled = false;      // none came while it was taken
  std::uint64_t time_ns = 0;
  std::vector<Segment> segments{};
  std::optional<std::uint64_t> point{};  // number
};

// The block that held an operand's memory when its node was captured.
struct OperandBlock {
  std::uint64_t address = 0, bytes = 0;  // that were asked for
  Pool pool{};
  std::optional<StringId> op{};  // that asked for it
};

}  // namespace graphtap::record
