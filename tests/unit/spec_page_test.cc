// docs/probes.md says what is: its examples are accepted, its error is the one that is printed, and
// what it calls missing is what is refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

std::string Page() {
  std::ostringstream text;
  text << std::ifstream(GRAPHTAP_PROBES_PAGE).rdbuf();
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
#define GT_WORD(group, word, value, form)                                              \
  EXPECT_TRUE(std::regex_search(IsSupported(WordGroup::group, word) ? there : missing, \
                                std::regex("`(when |\\.)?" word "[0-9:`+]")))          \
      << word;
#include "proto/spec/words.inc"
#undef GT_WORD
}

}  // namespace
}  // namespace graphtap::spec
