// Line tables of CPython's versions, against what each of them says itself (line_tables.txt, made
// by tests/values/line_tables.py).
#include "interpose/python/line_table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "interpose/python/layout.h"

namespace graphtap::python {
namespace {

struct Sample {
  const Layout* layout = nullptr;
  std::int32_t first_line = 0;
  std::string table;
  std::vector<std::int32_t> lines;  // -1: none
};

std::string Bytes(const std::string& hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
  }
  return bytes;
}

Sample Parse(const std::string& text) {
  std::istringstream in(text);
  Sample sample;
  unsigned minor = 0;
  std::string hex, run;
  in >> minor >> sample.first_line >> hex;
  sample.layout = LayoutOf(minor);
  sample.table = Bytes(hex);
  while (in >> run) {
    const auto x = run.find('x');
    sample.lines.insert(sample.lines.end(), std::stoul(run.substr(0, x)),
                        std::stoi(run.substr(x + 1)));
  }
  return sample;
}

TEST(LineTableTest, SaysWhatCPythonSays) {
  std::ifstream file(GRAPHTAP_LINE_TABLES);
  unsigned samples = 0;
  std::set<unsigned> versions;
  for (std::string text; std::getline(file, text); ++samples) {
    const Sample sample = Parse(text);
    ASSERT_NE(sample.layout, nullptr) << text;
    versions.insert(sample.layout->minor);
    ASSERT_FALSE(sample.lines.empty()) << text;
    for (std::size_t i = 0; i < sample.lines.size(); ++i) {
      const auto line = LineAt(sample.layout->lines, sample.table, sample.first_line,
                               static_cast<std::int32_t>(2 * i));
      EXPECT_EQ(line.value_or(-1), sample.lines[i]) << text << "\nat instruction " << i;
    }
  }
  EXPECT_GE(samples, 35u);
  EXPECT_EQ(versions.size(), 7u);
}

TEST(LineTableTest, BeforeTheFirstInstructionItIsTheFirstLine) {
  for (const auto kind : {LineTable::kStarts, LineTable::kRanges, LineTable::kLocations}) {
    EXPECT_EQ(LineAt(kind, "", 7, -2), 7);
  }
}

TEST(LineTableTest, BehindTheTableThereIsNoLine) {
  EXPECT_EQ(LineAt(LineTable::kRanges, std::string_view("\x04\x01", 2), 7, 4), std::nullopt);
  EXPECT_EQ(LineAt(LineTable::kLocations, std::string_view("\x80\x00", 2), 7, 2), std::nullopt);
}

TEST(LineTableTest, ATableThatEndsInAnEntryIsReadToItsEnd) {
  EXPECT_EQ(LineAt(LineTable::kStarts, std::string_view("\x02", 1), 7, 4), 7);
  EXPECT_EQ(LineAt(LineTable::kLocations, std::string_view("\xe8\x7f", 2), 7, 0), 7 - 31);
}

}  // namespace
}  // namespace graphtap::python
