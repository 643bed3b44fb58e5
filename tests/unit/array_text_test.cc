// Arrays as text, against what numpy printed (array_text_golden.py made the file).
#include "proto/arrays/array_text.h"

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "proto/arrays/decimal.h"

namespace graphtap::arrays {
namespace {

struct Case {
  std::string head;
  Dtype dtype = Dtype::kUnknown;
  std::vector<std::uint64_t> shape;
  std::string bytes, text;
  TextOptions options;
};

Case ParseHead(const std::string& line) {
  Case parsed;
  parsed.head = line.substr(0, 60);
  std::istringstream words(line);
  std::string equals, dtype, shape, hex;
  words >> equals >> dtype >> shape >> hex;
  if (equals == "=6") parsed.options = {.threshold = 6, .edge = 3, .line_width = 1u << 30};
  parsed.dtype = FindDtype(dtype).value_or(Dtype::kUnknown);
  std::istringstream axes(shape);
  for (std::string axis; std::getline(axes, axis, 'x');) parsed.shape.push_back(std::stoull(axis));
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    parsed.bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  }
  return parsed;
}

std::vector<Case> ReadCases() {
  std::ifstream file(GRAPHTAP_ARRAY_TEXTS);
  EXPECT_TRUE(file) << GRAPHTAP_ARRAY_TEXTS;
  std::vector<Case> cases;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("== ") || line.starts_with("=6 ")) {
      cases.push_back(ParseHead(line));
    } else {
      cases.back().text += (cases.back().text.empty() ? "" : "\n") + line;
    }
  }
  return cases;
}

ElementReader Reader(const std::string& bytes, Dtype dtype) {
  return [&bytes, size = std::max<std::size_t>(DtypeBytes(dtype), 1)](std::uint64_t index) {
    Element element{};
    std::memcpy(element.data(), bytes.data() + index * size, size);
    return element;
  };
}

TEST(ArrayTextTest, IsWhatNumpyPrints) {
  const auto cases = ReadCases();
  EXPECT_GT(cases.size(), 120u);
  for (const Case& golden : cases) {
    ASSERT_NE(golden.dtype, Dtype::kUnknown) << golden.head;
    EXPECT_EQ(
        ArrayText(golden.dtype, golden.shape, Reader(golden.bytes, golden.dtype), golden.options),
        golden.text)
        << golden.head;
  }
}

TEST(ArrayTextTest, TypesThatNumpyLacksAreFloat32) {
  const std::string bytes("\xcd\x3d\x80\xff", 4);  // 0.1 as bfloat16, -inf
  EXPECT_EQ(ArrayText(Dtype::kBfloat16, {2}, Reader(bytes, Dtype::kBfloat16)),
            "[0.10009766       -inf]");
  const std::string small("\x38\x7f", 2);
  EXPECT_EQ(ArrayText(Dtype::kFloat8E4m3fn, {2}, Reader(small, Dtype::kFloat8E4m3fn)), "[ 1. nan]");
}

TEST(ArrayTextTest, BytesWithoutATypeAreHexadecimal) {
  std::string bytes;
  for (int i = 0; i < 18; ++i) bytes += static_cast<char>(i);
  EXPECT_EQ(HexText(18, Reader(bytes, Dtype::kUnknown)),
            "000000: 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f\n000010: 10 11");
  bytes.assign(320, '\xff');
  const std::string text = HexText(320, Reader(bytes, Dtype::kUnknown));
  EXPECT_NE(text.find("\n000020: ff"), std::string::npos);
  EXPECT_NE(text.find("ff\n...\n000110: ff"), std::string::npos);
  EXPECT_EQ(HexText(0, Reader(bytes, Dtype::kUnknown)), "");
}

TEST(ArrayTextTest, OneElementIsWhatPythonPrints) {
  const auto text = [](Dtype dtype, auto value) {
    Element element{};
    std::memcpy(element.data(), &value, sizeof value);
    return ElementText(element, dtype);
  };
  EXPECT_EQ(text(Dtype::kFloat32, 4.0f), "4.0");
  EXPECT_EQ(text(Dtype::kFloat32, 0.1f), "0.1");
  EXPECT_EQ(text(Dtype::kFloat64, -1.5e-7), "-1.5e-07");
  EXPECT_EQ(text(Dtype::kFloat64, 1e16), "1e+16");
  EXPECT_EQ(text(Dtype::kFloat64, 1e15), "1000000000000000.0");
  EXPECT_EQ(text(Dtype::kFloat16, std::uint16_t{0x7e00}), "nan");
  EXPECT_EQ(text(Dtype::kInt64, std::int64_t{-9'223'372'036'854'775'807}), "-9223372036854775807");
  EXPECT_EQ(text(Dtype::kBool, std::uint8_t{1}), "True");
  const float complex[2] = {1, -2};
  Element element{};
  std::memcpy(element.data(), complex, sizeof complex);
  EXPECT_EQ(ElementText(element, Dtype::kComplex64), "(1.0-2.0j)");
}

}  // namespace
}  // namespace graphtap::arrays
