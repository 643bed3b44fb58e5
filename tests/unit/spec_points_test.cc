// Which moments are points.
#include "proto/spec/points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace graphtap::spec {
namespace {

using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;

Points Parsed(std::string_view text) {
  std::string error;
  auto points = ParsePoints(text, &error);
  EXPECT_TRUE(points) << error;
  return points.value_or(Points());
}

TEST(Points, EachWordIsRead) {
  const Points points =
      Parsed(" nvtx:step* ;capture; instantiate;replay: 1, 3-4,every:1K ;oom;signal;exit");
  EXPECT_THAT(points.nvtx, ElementsAre("step*"));
  EXPECT_TRUE(points.capture && points.instantiate && points.out_of_memory && points.signal &&
              points.exit);
  EXPECT_TRUE(points.replays.Due(4) && points.replays.Due(2048));
  EXPECT_FALSE(points.replays.Due(2));
  EXPECT_EQ(Text(points), "nvtx:step*;capture;instantiate;replay:1,3-4,every:1024;oom;signal;exit");
  EXPECT_EQ(points.replays.text(), "1,3-4,every:1024");
  EXPECT_EQ(Parsed(Text(points)), points);
}

TEST(Points, NoneIsNone) {
  EXPECT_EQ(Parsed(" none "), Points());
  EXPECT_EQ(Text(Points()), "none");
  EXPECT_FALSE(Parsed("none").replays.Due(1));
}

TEST(Points, PatternsAndListsAddUp) {
  const Points points = Parsed("nvtx:a;nvtx:\"b, \\\"c\\\";\";replay:1;replay:3");
  EXPECT_TRUE(points.MatchesText("a"));
  EXPECT_TRUE(points.MatchesText("b, \"c\";"));
  EXPECT_FALSE(points.MatchesText("b"));
  EXPECT_FALSE(points.MatchesText(""));
  EXPECT_TRUE(points.replays.Due(1) && points.replays.Due(3));
  EXPECT_EQ(Text(points), "nvtx:a;nvtx:\"b, \\\"c\\\";\";replay:1,3");
  EXPECT_EQ(Parsed(Text(points)), points);
}

struct Wrong {
  const char* text;
  std::size_t place;    // of the caret, in the text
  const char* message;  // a part of it
};

// Names a case in the output of the test.
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }

class PointErrorTest : public testing::TestWithParam<Wrong> {};

TEST_P(PointErrorTest, SaysWhatAndWhere) {
  const auto& [text, place, message] = GetParam();
  std::string error;
  EXPECT_FALSE(ParsePoints(text, &error));
  EXPECT_THAT(error, HasSubstr(message));
  EXPECT_THAT(error, EndsWith(std::string("\n  ") + text + "\n  " + std::string(place, ' ') + '^'));
}

constexpr const char* kWords =
    "expected one of nvtx:PATTERN, capture, instantiate, replay:LIST, oom, signal, exit, none, "
    "not ";

INSTANTIATE_TEST_SUITE_P(
    Points, PointErrorTest,
    testing::Values(
        Wrong{"", 0, kWords}, Wrong{"", 0, "not the end"}, Wrong{"captures", 0, "not 'captures'"},
        Wrong{"capture;", 8, "not the end"}, Wrong{"capture;;oom", 8, "not ';'"},
        Wrong{"capture,oom", 7, "expected ';' after a point, not ','"},
        Wrong{"capture:1", 7, "expected ';' after a point, not ':'"},
        Wrong{"none;oom", 4, "'none' stands alone"}, Wrong{"oom;none", 4, "'none' stands alone"},
        Wrong{"nvtx", 4, "expected ':' and a pattern after 'nvtx', not the end"},
        Wrong{"nvtx:", 5, "the pattern is empty"}, Wrong{"nvtx:;oom", 5, "the pattern is empty"},
        Wrong{"nvtx:\"a", 5, "the quote is not closed"},
        Wrong{"nvtx:a b", 7, "expected ';' after a point, not 'b'"},
        Wrong{"replay", 6, "expected ':' and a list of replays after 'replay', not the end"},
        Wrong{"replay:0", 7, "expected the number of a replay, from 1 on, not '0'"},
        Wrong{"oom;replay:1,5-3", 13, "the range '5-3' is empty"},
        Wrong{"replay:random:0.5", 7, "'random' is not in this version yet"},
        Wrong{"replay:1 2", 9, "expected ';' after a point, not '2'"}));

}  // namespace
}  // namespace graphtap::spec
