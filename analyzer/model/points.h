// Points: the named moments of one process at which memory was looked at, and what there was.
// Owner: the Process. Threads: one while it is made, read-only then. Failure: none. Units: bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "proto/trace.pb.h"

namespace graphtap::model {

// What the framework's allocator has of one device.
struct AllocatorBytes {
  std::uint64_t allocated = 0;  // in blocks that are given out
  std::uint64_t requested = 0;  // that were asked for, of these
  std::uint64_t pending = 0;    // in blocks given back that streams may still use
  std::uint64_t reserved = 0;   // in segments: taken from CUDA
};

struct PointDevice {
  std::optional<std::uint64_t> free_bytes, total_bytes;
  std::optional<AllocatorBytes> allocator;
};

struct Point {
  graphtap::Point record;
  std::map<std::uint32_t, PointDevice> devices;  // by ordinal
  std::optional<std::uint64_t> state_ns;         // when the allocator's state was taken
};

// Takes the records of a file in order; a point that is lost makes what tells of it orphans.
class PointTable {
 public:
  void Add(graphtap::Point&& point);
  void Add(const DeviceMemory& memory);
  void Add(const AllocatorState& state);

  // By number.
  std::vector<Point> Finish();
  std::uint64_t orphans() const { return orphans_; }

 private:
  struct Row {
    Point point;
    bool lost = true;
    std::uint64_t records = 0;  // that tell of it
  };
  std::map<std::uint64_t, Row> rows_;
  std::uint64_t orphans_ = 0;
};

}  // namespace graphtap::model
