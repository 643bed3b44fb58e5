#include "proto/dtype.h"

#include <gtest/gtest.h>

#include <string>

namespace graphtap {
namespace {

// Numbers are in files: this table is written by hand, and never changes but at its end.
struct Case {
  std::uint32_t number;
  const char* name;
  std::size_t bytes;
};
constexpr Case kCases[] = {{0, "unknown", 0},      {1, "float16", 2},    {2, "bfloat16", 2},
                           {3, "float32", 4},      {4, "float64", 8},    {5, "int8", 1},
                           {6, "int16", 2},        {7, "int32", 4},      {8, "int64", 8},
                           {9, "uint8", 1},        {10, "uint16", 2},    {11, "uint32", 4},
                           {12, "uint64", 8},      {13, "bool", 1},      {14, "float8_e4m3fn", 1},
                           {15, "float8_e5m2", 1}, {16, "complex64", 8}, {17, "complex128", 16}};

TEST(Dtype, NumbersNamesAndSizesStay) {
  for (const auto& [number, name, bytes] : kCases) {
    const auto dtype = DtypeOf(number);
    EXPECT_EQ(static_cast<std::uint32_t>(dtype), number);
    EXPECT_EQ(DtypeName(dtype), name);
    EXPECT_EQ(DtypeBytes(dtype), bytes) << name;
    if (number != 0) {
      EXPECT_EQ(FindDtype(name), dtype) << name;
    }
  }
}

TEST(Dtype, OtherNames) {
  EXPECT_EQ(FindDtype("bf16"), Dtype::kBfloat16);
  EXPECT_EQ(FindDtype("half"), Dtype::kFloat16);
  EXPECT_EQ(FindDtype("f32"), Dtype::kFloat32);
  EXPECT_EQ(FindDtype("double"), Dtype::kFloat64);
  EXPECT_EQ(FindDtype("i32"), Dtype::kInt32);
  for (const char* wrong : {"", " ", "unknown", "f16 fp16", "Float32", "float3", "float322"}) {
    EXPECT_EQ(FindDtype(wrong), std::nullopt) << wrong;
  }
}

TEST(Dtype, NamesAreDifferent) {
  std::string seen = " ";
#define GT_DTYPE(number, constant, name, bytes, aliases) \
  seen += std::string(name " " aliases) + " ";
#include "proto/dtype.inc"
#undef GT_DTYPE
  for (std::size_t begin = 1; begin < seen.size();) {
    const auto end = seen.find(' ', begin);
    const auto word = seen.substr(begin - 1, end - begin + 2);
    if (word.size() > 2) {
      EXPECT_EQ(seen.find(word), begin - 1) << word;
      EXPECT_EQ(seen.find(word, begin), std::string::npos) << word;
    }
    begin = end + 1;
  }
}

TEST(Dtype, ANumberOfALaterReleaseIsUnknown) {
  EXPECT_EQ(DtypeOf(18), Dtype::kUnknown);
  EXPECT_EQ(DtypeOf(0xffffffff), Dtype::kUnknown);
  EXPECT_EQ(DtypeName(static_cast<Dtype>(200)), "unknown");
  EXPECT_EQ(DtypeBytes(static_cast<Dtype>(200)), 0u);
}

}  // namespace
}  // namespace graphtap
