// Numbers and tables as reports print them.

#include <gtest/gtest.h>

#include "analyzer/report/cuda_names.h"
#include "analyzer/report/table.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

TEST(UnitsTest, Counts) {
  EXPECT_EQ(Count(0), "0");
  EXPECT_EQ(Count(999), "999");
  EXPECT_EQ(Count(1'000), "1,000");
  EXPECT_EQ(Count(18'446'744'073'709'551'615u), "18,446,744,073,709,551,615");
  EXPECT_EQ(Count(1, "body", "bodies"), "1 body");
  EXPECT_EQ(Count(1'501, "replay"), "1,501 replays");
}

TEST(UnitsTest, Bytes) {
  EXPECT_EQ(Bytes(1'023), "1023 B");
  EXPECT_EQ(Bytes(65'536), "64.0 KiB");
  EXPECT_EQ(Bytes((1u << 20) - 1), "1.0 MiB");  // never "1024.0 KiB"
  EXPECT_EQ(Bytes(18'446'744'073'709'551'615u), "16.0 EiB");
}

TEST(UnitsTest, Durations) {
  EXPECT_EQ(Duration(999), "999 ns");
  EXPECT_EQ(Duration(1'250'000), "1.25 ms");
  EXPECT_EQ(Duration(59'990'000'000), "59.99 s");
  EXPECT_EQ(Duration(61'000'000'000), "1 min 01 s");
  EXPECT_EQ(Duration(7'265'000'000'000), "2 h 01 min");
}

TEST(UnitsTest, Rates) {
  EXPECT_EQ(Rate(812.34), "812.3/s");
  EXPECT_EQ(Rate(12'344.6), "12,345/s");
  EXPECT_EQ(Rate(1.8e28), "1.8e+28/s");
}

TEST(UnitsTest, DatesAreUtc) {
  EXPECT_EQ(Utc(1'783'912'345'678'000'000), "2026-07-13 03:12:25.678 UTC");
}

TEST(TableTest, ColumnsAreAlignedByCharacters) {
  Table table(2, {"name", ">count"});
  table.AddRow({"é", "1"});
  table.AddRow({"long", "12,345"});
  EXPECT_EQ(table.Text(), "  name   count\n  é          1\n  long  12,345\n");
}

TEST(TableTest, EmptyColumnsAreLeftAwayAndRowsBeyondTheLimitCounted) {
  Table table(0, {"a", "b", "c"});
  table.AddRow({"1", "", "2"});
  table.AddRow({"3", "", "4"});
  EXPECT_EQ(table.Text(1, "things"),
            "a  c\n1  2\n… 1 of 2 things not shown (--limit 0 shows all)\n");
}

TEST(CudaNamesTest, NumbersOfANewerDriverStayNumbers) {
  EXPECT_EQ(ResultName(900), "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED");
  EXPECT_EQ(ResultName(998), "CUresult 998");
  EXPECT_EQ(NodeKindName(13), "conditional");
  EXPECT_EQ(NodeKindName(99), "kind 99");
  EXPECT_EQ(InstantiateFlagNames(0), "none");
  EXPECT_EQ(InstantiateFlagNames(9), "auto_free_on_launch+use_node_priority");
  EXPECT_EQ(DriverVersionName(12'080), "12.8");
}

}  // namespace
}  // namespace graphtap::report
