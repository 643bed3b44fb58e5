// The worked example of docs/format.md, decoded from the page itself.

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>
#include <string>

#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"

namespace graphtap {
namespace {

// All bytes that the page shows in indented lines, and the text it shows at its end.
struct Page {
  std::string bytes, text;
};

Page ReadPage() {
  std::ifstream file(GRAPHTAP_FORMAT_PAGE);
  EXPECT_TRUE(file) << GRAPHTAP_FORMAT_PAGE;
  const std::regex byte_line("    ([0-9a-f]{2} ?)+");
  Page page;
  bool in_text = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) {
      in_text = !in_text;
    } else if (in_text) {
      page.text += line + '\n';
    } else if (std::regex_match(line, byte_line)) {
      std::istringstream words(line);
      for (unsigned value; words >> std::hex >> value;) page.bytes += static_cast<char>(value);
    }
  }
  return page;
}

TEST(FormatPageTest, TheExampleIsARunFile) {
  const Page page = ReadPage();
  EXPECT_EQ(page.bytes.size(), 48u + 13 + 48 + 8 + 48);
  const auto source = reader::OpenBytes(page.bytes);
  reader::EntryReader entries(*source);
  std::string text;
  Entry entry;
  google::protobuf::TextFormat::Printer printer;
  printer.SetInitialIndentLevel(1);
  while (*entries.Next(&entry)) {
    std::string body;
    printer.PrintToString(entry, &body);
    text += "entry {\n" + body + "}\n";
  }
  EXPECT_EQ(text, page.text);
  const auto damage = entries.damage();
  EXPECT_FALSE(damage.damaged());
  EXPECT_EQ(damage.unfinished_bytes, 0u);
}

}  // namespace
}  // namespace graphtap
