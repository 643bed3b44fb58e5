// Tables of texts that somebody else wrote.

#include "analyzer/report/table.h"

#include <gtest/gtest.h>

namespace graphtap::report {
namespace {

TEST(TableTest, ControlCharactersBreakNoLine) {
  Table table(2, {"name", "scope"});
  table.AddRow({"a\nb\x1b[2J\x7f", "gr\xc3\xbc\xc3\x9f"});
  EXPECT_EQ(table.Text(), "  name      scope\n  a?b?[2J?  gr\xc3\xbc\xc3\x9f\n");
}

TEST(TableTest, AVeryWideCellDoesNotWidenAllRows) {
  constexpr std::size_t kWide = 100'000, kRows = 1000;
  Table table(0, {"name", "count"});
  table.AddRow({std::string(kWide, 'x'), "1"});
  for (std::size_t row = 1; row < kRows; ++row) table.AddRow({"y", "2"});
  const auto text = table.Text();
  EXPECT_LT(text.size(), kWide + kRows * 300);
  EXPECT_NE(text.find(std::string(kWide, 'x') + "  1\n"), std::string::npos);
}

}  // namespace
}  // namespace graphtap::report
