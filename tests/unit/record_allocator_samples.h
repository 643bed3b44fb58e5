// Encoder samples of the allocator's records: with every field set, and with every field at zero.
// Owner: the test. Values, no failure.
#pragma once

#include <vector>

#include "tests/unit/record_encoder_samples.h"

namespace graphtap::record {

// What the text of the full node has.
inline OperandBlock FullBlock() {
  return {.address = 1ull << 63, .bytes = 1ull << 33, .pool = {2, 1ull << 34}, .op = StringId{0}};
}

inline std::vector<Sample> FullAllocator() {
  const AllocatorEvent event{.number = 1ull << 32,
                             .action = AllocatorAction::kSegmentUnmap,
                             .device = 2,
                             .address = 1ull << 63,
                             .bytes = 1ull << 33,
                             .stream = 1ull << 62,
                             .pool = {3, 1ull << 34},
                             .thread = ThreadId{4},
                             .time_ns = 5,
                             .op = StringId{6},
                             .stack = StackId{7}};
  const Segment segment{.device = 1,
                        .address = 1ull << 63,
                        .bytes = 1ull << 33,
                        .stream = 1ull << 62,
                        .pool = {2, 1ull << 34},
                        .expandable = true,
                        .blocks = {{BlockState::kPending, 3, 1ull << 35, 1ull << 36},
                                   {BlockState::kAllocated, 4, 5, 6}}};
  return {{Encoded(event), R"(allocator_event {
             number: 4294967296 action: ACTION_SEGMENT_UNMAP device: 2 address: 9223372036854775808
             bytes: 8589934592 stream: 4611686018427387904 pool_first: 3 pool_second: 17179869184
             thread: 4 time_ns: 5 op: 6 stack: 7 })"},
          {Encode(AllocatorState{.label = "capture:3:end",
                                 .events = 1ull << 32,
                                 .settled = true,
                                 .time_ns = 7,
                                 .segments = {segment, Segment{}},
                                 .point = 1ull << 33}),
           R"(allocator_state {
             label: "capture:3:end" events: 4294967296 settled: true time_ns: 7
             segments { device: 1 address: 9223372036854775808 bytes: 8589934592
                        stream: 4611686018427387904 pool_first: 2 pool_second: 17179869184
                        expandable: true
                        blocks { state: STATE_PENDING address: 3 bytes: 34359738368
                                 requested: 68719476736 }
                        blocks { state: STATE_ALLOCATED address: 4 bytes: 5 requested: 6 } }
             segments { device: 0 address: 0 bytes: 0 stream: 0 pool_first: 0 pool_second: 0
                        expandable: false } point: 8589934592 })"},
          {Encode(ParameterPointer{.name = StringId{1},
                                   .address = 1ull << 63,
                                   .bytes = 1ull << 33,
                                   .captures = 2,
                                   .gone = true,
                                   .time_ns = 3}),
           R"(parameter_pointer { name: 1 address: 9223372036854775808 bytes: 8589934592 captures: 2
                                  gone: true time_ns: 3 })"},
          {Encode(CompiledRegion{4, StringId{5}}), "compiled_region { capture: 4 compile_id: 5 }"},
          {Encode(CompiledFile{StringId{1}, StringId{2}, StringId{3}, StringId{4}, 5}),
           "compiled_file { name: 1 compile_id: 2 file: 3 function: 4 line: 5 }"}};
}

inline std::vector<Sample> FullPoints() {
  return {
      {Encode(Point{.number = 1ull << 32,
                    .label = "oom:3",
                    .kind = PointKind::kOutOfMemory,
                    .edge = PointEdge::kEnd,
                    .thread = ThreadId{4},
                    .time_ns = 5,
                    .call = StringId{6},
                    .bytes = 1ull << 35,
                    .memory_skipped = true,
                    .state_skipped = true}),
       R"(point { number: 4294967296 label: "oom:3" kind: KIND_OUT_OF_MEMORY edge: EDGE_END
                      thread: 4 time_ns: 5 call: 6 bytes: 34359738368 memory_skipped: true
                      state_skipped: true })"},
      {Encode(DeviceMemory{
           .point = 1ull << 32, .device = 3, .free_bytes = 1ull << 34, .total_bytes = 1ull << 35}),
       R"(device_memory { point: 4294967296 device: 3 free_bytes: 17179869184
                              total_bytes: 34359738368 })"}};
}

inline std::vector<Sample> ZeroPoints() {
  return {{Encode(Point{}), "point { number: 0 kind: KIND_NVTX edge: EDGE_NONE time_ns: 0 }"},
          {Encode(DeviceMemory{}),
           "device_memory { point: 0 device: 0 free_bytes: 0 total_bytes: 0 }"}};
}

inline std::vector<Sample> ZeroAllocator() {
  return {{Encoded(AllocatorEvent{}), R"(allocator_event {
             number: 0 action: ACTION_ALLOC device: 0 address: 0 bytes: 0 stream: 0 pool_first: 0
             pool_second: 0 thread: 0 time_ns: 0 })"},
          {Encode(AllocatorState{.segments = {Segment{.blocks = {Block{}}}}}), R"(allocator_state {
             events: 0 settled: false time_ns: 0
             segments { device: 0 address: 0 bytes: 0 stream: 0 pool_first: 0 pool_second: 0
                        expandable: false
                        blocks { state: STATE_FREE address: 0 bytes: 0 requested: 0 } } })"},
          {Encode(CompiledRegion{}), "compiled_region { capture: 0 compile_id: 0 }"},
          {Encode(CompiledFile{}),
           "compiled_file { name: 0 compile_id: 0 file: 0 function: 0 line: 0 }"},
          {Encode(ParameterPointer{}),
           "parameter_pointer { name: 0 address: 0 bytes: 0 gone: false time_ns: 0 }"}};
}

}  // namespace graphtap::record
