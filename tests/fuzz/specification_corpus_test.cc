// The corpus of the fuzzer, and some thousand mutations of it that are the same on each machine.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "tests/fuzz/specification_properties.h"

namespace graphtap::fuzz {
namespace {

std::vector<std::string> Corpus() {
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(GRAPHTAP_FUZZ_CORPUS)) {
    files.push_back(file.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<std::string> inputs;
  for (const auto& file : files) {
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    inputs.push_back(text.str());
  }
  return inputs;
}

// mt19937 gives the same numbers everywhere; the distributions of the library need not.
class Mutator {
 public:
  explicit Mutator(const std::vector<std::string>& corpus) : corpus_(corpus) {}

  std::string Next() {
    std::string text = Pick(corpus_);
    for (std::size_t steps = 1 + Below(4); steps > 0; --steps) Change(&text);
    return text;
  }

 private:
  std::size_t Below(std::size_t limit) { return random_() % limit; }

  const std::string& Pick(const std::vector<std::string>& texts) {
    return texts[Below(texts.size())];
  }

  void Change(std::string* text) {
    static constexpr auto kWords = std::to_array<const char*>(
        {"kernel:", "op:",    "all",      ".arg1",  ".out0",      "+0x8",
         ".dst",    "=",      "none",     "copy:",  "hash",       "print:",
         "check:",  " when ", "first:",   "every:", "random:0.5", "18446744073709551615",
         ";",       ",",      "\"",       "\\",     "*",          "?",
         "[a-z]",   "[!",     "]",        "-",      "\n",         " ",
         "0",       "K",      "\xc3\xbc", "\x80",   "nvtx:",      "capture",
         "replay:"});
    const std::size_t at = Below(text->size() + 1);
    const std::size_t length = std::min(Below(8), text->size() - at);
    switch (Below(5)) {
      case 0:
        text->insert(at, kWords[Below(kWords.size())]);
        break;
      case 1:
        text->erase(at, length);
        break;
      case 2:
        text->insert(at, text->substr(at, length));
        break;
      case 3:
        text->insert(at, 1, static_cast<char>(Below(256)));
        break;
      default: {
        const std::string& other = Pick(corpus_);
        *text = text->substr(0, at) + other.substr(Below(other.size() + 1));
      }
    }
  }

  const std::vector<std::string>& corpus_;
  std::mt19937 random_{20260101};
};

TEST(SpecificationCorpus, PropertiesHold) {
  const auto corpus = Corpus();
  ASSERT_GE(corpus.size(), 10u);
  for (const auto& input : corpus) CheckSpecification(input);
}

TEST(SpecificationCorpus, PropertiesHoldForMutations) {
  constexpr int kInputs = 20000;
  const auto corpus = Corpus();
  Mutator mutator(corpus);
  int specifications = 0, replays = 0, points = 0, matches = 0;
  for (int i = 0; i < kInputs; ++i) {
    const auto accepted = CheckSpecification(mutator.Next());
    specifications += accepted.specification;
    replays += accepted.replays;
    points += accepted.points;
    matches += accepted.match;
  }
  // Right and wrong ones both: else the properties of one kind were not tried.
  for (const int count : {specifications, replays, points, matches}) {
    EXPECT_GT(count, kInputs / 20);
    EXPECT_LT(count, kInputs - kInputs / 20);
  }
}

}  // namespace
}  // namespace graphtap::fuzz
