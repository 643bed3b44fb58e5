// Point records: named moments of a run, and what memory there was. The rules of records.h hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "interpose/record/records.h"

namespace graphtap::record {

// Numbers as Point.Kind and Point.Edge in trace.proto.
enum class PointKind : std::uint8_t {
  kNvtx = 0,
  kCapture = 1,
  kInstantiate = 2,
  kReplay = 3,
  kOutOfMemory = 4,
  kSignal = 5,
  kExit = 6,
};
inline constexpr std::size_t kPointKinds = 7;
enum class PointEdge : std::uint8_t { kNone = 0, kBegin = 1, kEnd = 2 };

struct Point {
  std::uint64_t number = 0;  // counts from 0 in the process
  std::string label{};
  PointKind kind{};
  PointEdge edge{};
  std::optional<ThreadId> thread{};
  std::uint64_t time_ns = 0;
  std::optional<StringId> call{};
  std::optional<std::uint64_t> bytes{};
  bool memory_skipped = false, state_skipped = false;
};

struct DeviceMemory {
  std::uint64_t point = 0;  // number
  std::uint32_t device = 0;
  std::uint64_t free_bytes = 0, total_bytes = 0;
};

}  // namespace graphtap::record
