// docs/probes.md and docs/points.md say what is: their examples are accepted, their errors are
// those that are printed, and what they call missing is what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "proto/spec/points.h"
#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

std::string Page(const char* path = GRAPHTAP_PROBES_PAGE) {
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  return text.str();
}

// What stands in quotes behind an option, in the lines that are examples.
std::vector<std::string> Examples(const std::string& page, const std::string& option) {
  const std::regex form("\n    [^\n]*" + option + " '([^'\n]*)'");
  std::vector<std::string> examples;
  for (std::sregex_iterator at(page.begin(), page.end(), form), end; at != end; ++at) {
    examples.push_back((*at)[1]);
  }
  return examples;
}

TEST(ProbesPage, ItsExamplesAreAccepted) {
  const auto page = Page();
  const auto specifications = Examples(page, "-p"), replays = Examples(page, "--replays");
  EXPECT_EQ(specifications.size(), 11u);
  EXPECT_EQ(replays.size(), 3u);
  std::string error;
  for (const auto& text : specifications) EXPECT_TRUE(ParseSpecification(text, &error)) << error;
  for (const auto& text : replays) EXPECT_TRUE(ParseReplays(text, &error)) << error;
}

TEST(ProbesPage, ItsErrorIsWhatIsPrinted) {
  std::string error;
  EXPECT_FALSE(ParseSpecification("kernel:softmax*=dgest", &error));
  EXPECT_THAT(Page(), testing::HasSubstr("GRAPHTAP_PROBE: " + error + "\n```"));
}

TEST(ProbesPage, EachWordStandsWhereItBelongs) {
  const auto page = Page();
  const auto there = page.substr(0, page.find("## Not in this version"));
  const auto missing = page.substr(there.size());
  const auto points = Page(GRAPHTAP_POINTS_PAGE);
  const auto page_of = [&](WordGroup group, const char* word) {
    if (group == WordGroup::kPoint) return points;
    return IsSupported(group, word) ? there : missing;
  };
#define GT_WORD(group, word, value, form)                                     \
  EXPECT_TRUE(std::regex_search(page_of(WordGroup::group, word),              \
                                std::regex("`(when |\\.)?" word "[0-9:`+]"))) \
      << word;
#include "proto/spec/words.inc"
#undef GT_WORD
}

TEST(PointsPage, ItsExamplesAreAcceptedAndItsErrorIsWhatIsPrinted) {
  const auto page = Page(GRAPHTAP_POINTS_PAGE);
  const auto examples = Examples(page, "--points");
  EXPECT_EQ(examples.size(), 3u);
  std::string error;
  for (const auto& text : examples) EXPECT_TRUE(ParsePoints(text, &error)) << error;
  EXPECT_FALSE(ParsePoints("capture;ooom", &error));
  EXPECT_THAT(page, testing::HasSubstr("GRAPHTAP_POINTS: " + error + "\n```"));
}

}  // namespace
}  // namespace graphtap::spec
