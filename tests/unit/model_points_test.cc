// Points of a file: what there was at each, and what becomes of lost records.
#include "analyzer/model/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/unit/built_process.h"

namespace graphtap::model {
namespace {

using testing::IsEmpty;

std::string PointText(int number, const std::string& label) {
  return "entry { point { number: " + std::to_string(number) + " label: \"" + label + "\" } }\n";
}
std::string Memory(int point, int device, int free_bytes) {
  return "entry { device_memory { point: " + std::to_string(point) +
         " device: " + std::to_string(device) + " free_bytes: " + std::to_string(free_bytes) +
         " total_bytes: 100 } }\n";
}
std::string State(const std::string& fields) {
  return "entry { allocator_state { label: \"l\" time_ns: 7 " + fields + " } }\n";
}
std::string Segment(int device, const std::string& blocks) {
  return "segments { device: " + std::to_string(device) + " bytes: 1000 " + blocks + "} ";
}

TEST(ModelPoints, StandInTheOrderOfTheirNumbersWithTheirDevices) {
  const auto process = BuildProcess(PointText(1, "b") + Memory(1, 1, 30) + Memory(1, 0, 20) +
                                    PointText(0, "a") + PointText(2, "c"));
  ASSERT_EQ(process->points.size(), 3u);
  EXPECT_EQ(process->points[0].record.label(), "a");
  EXPECT_THAT(process->points[0].devices, IsEmpty());
  const auto& devices = process->points[1].devices;
  ASSERT_EQ(devices.size(), 2u);
  EXPECT_EQ(devices.at(0).free_bytes, 20u);
  EXPECT_EQ(devices.at(1).free_bytes, 30u);
  EXPECT_EQ(devices.at(1).total_bytes, 100u);
  EXPECT_FALSE(devices.at(1).allocator);
  EXPECT_FALSE(process->points[1].state_ns);
  EXPECT_EQ(process->orphans, 0u);
}

TEST(ModelPoints, BlocksAndSegmentsOfADeviceAddUp) {
  const auto process =
      BuildProcess(PointText(0, "a") + Memory(0, 0, 20) + Memory(0, 2, 20) +
                   State("point: 0 " +
                         Segment(0,
                                 "blocks { state: STATE_ALLOCATED bytes: 512 requested: 100 } "
                                 "blocks { state: STATE_PENDING bytes: 64 requested: 60 } "
                                 "blocks { state: STATE_FREE bytes: 424 requested: 0 } ") +
                         Segment(0, "blocks { state: STATE_ALLOCATED bytes: 32 requested: 30 } ") +
                         Segment(1, "blocks { state: STATE_FREE bytes: 1000 } ")));
  const auto& point = process->points.at(0);
  EXPECT_EQ(point.state_ns, 7u);
  ASSERT_EQ(point.devices.size(), 3u);
  const auto& first = *point.devices.at(0).allocator;
  EXPECT_EQ(first.allocated, 544u);
  EXPECT_EQ(first.requested, 130u);
  EXPECT_EQ(first.pending, 64u);
  EXPECT_EQ(first.reserved, 2000u);
  EXPECT_FALSE(point.devices.at(1).free_bytes) << "it was not looked at";
  EXPECT_EQ(point.devices.at(1).allocator->reserved, 1000u);
  EXPECT_EQ(point.devices.at(2).allocator->reserved, 0u) << "the allocator has nothing of it";
}

TEST(ModelPoints, AStateThatWasTakenForNoPointIsNone) {
  EXPECT_THAT(BuildProcess(State(Segment(0, "")))->points, IsEmpty());
}

TEST(ModelPoints, WhatTellsOfALostPointIsAnOrphan) {
  const auto process =
      BuildProcess(Memory(5, 0, 20) + Memory(5, 1, 20) + State("point: 6") + PointText(0, "a"));
  EXPECT_EQ(process->points.size(), 1u);
  EXPECT_EQ(process->orphans, 3u);
}

}  // namespace
}  // namespace graphtap::model
