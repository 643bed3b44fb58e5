#include "analyzer/model/points.h"

#include <utility>

namespace graphtap::model {
namespace {

void Add(const Segment& segment, AllocatorBytes* bytes) {
  bytes->reserved += segment.bytes();
  for (const auto& block : segment.blocks()) {
    if (block.state() == Block::STATE_PENDING) bytes->pending += block.bytes();
    if (block.state() != Block::STATE_ALLOCATED) continue;
    bytes->allocated += block.bytes();
    bytes->requested += block.requested();
  }
}

}  // namespace

void PointTable::Add(graphtap::Point&& point) {
  Row& row = rows_[point.number()];
  row.point.record = std::move(point);
  row.lost = false;
}

void PointTable::Add(const DeviceMemory& memory) {
  Row& row = rows_[memory.point()];
  ++row.records;
  auto& device = row.point.devices[memory.device()];
  device.free_bytes = memory.free_bytes();
  device.total_bytes = memory.total_bytes();
}

// A device of which the allocator has nothing has a row only if it was looked at.
void PointTable::Add(const AllocatorState& state) {
  if (!state.has_point()) return;
  Row& row = rows_[state.point()];
  ++row.records;
  row.point.state_ns = state.time_ns();
  for (const auto& segment : state.segments()) {
    auto& bytes = row.point.devices[segment.device()].allocator;
    if (!bytes) bytes.emplace();
    model::Add(segment, &*bytes);
  }
}

std::vector<Point> PointTable::Finish() {
  std::vector<Point> points;
  for (auto& [number, row] : std::exchange(rows_, {})) {
    if (row.lost) {
      orphans_ += row.records;
      continue;
    }
    if (row.point.state_ns) {
      for (auto& [ordinal, device] : row.point.devices) {
        if (!device.allocator) device.allocator.emplace();
      }
    }
    points.push_back(std::move(row.point));
  }
  return points;
}

}  // namespace graphtap::model
