// Headers of .npy files as numpy writes them, and what is wrong with others.
#include "proto/arrays/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace graphtap::arrays {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Version 1: the length has two bytes.
std::string File(const std::string& dictionary, std::size_t data_bytes) {
  std::string file("\x93NUMPY\x01\x00", 8);
  file += static_cast<char>(dictionary.size() & 0xff);
  file += static_cast<char>(dictionary.size() >> 8);
  return file + dictionary + std::string(data_bytes, '\0');
}

std::optional<Array> Parse(const std::string& file, std::string* error) {
  return ParseNpy(std::as_bytes(std::span(file)), file.size(), error);
}

Array Read(const std::string& file) {
  std::string error;
  const auto array = Parse(file, &error);
  EXPECT_TRUE(array) << error;
  return array.value_or(Array());
}

std::string ErrorOf(const std::string& file) {
  std::string error;
  EXPECT_FALSE(Parse(file, &error));
  return error;
}

TEST(NpyTest, ReadsWhatNumpyWrites) {
  std::string padding(40, ' ');
  padding += '\n';
  const Array array =
      Read(File("{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }" + padding, 24));
  EXPECT_EQ(array.dtype, Dtype::kFloat32);
  EXPECT_THAT(array.shape, ElementsAre(2, 3));
  EXPECT_EQ(array.bytes, 24u);
  EXPECT_EQ(array.offset, 10u + 59 + 41);
}

TEST(NpyTest, ReadsShapesOfAnyRank) {
  const auto shape = [](const std::string& text, std::size_t bytes) {
    return Read(File("{'descr': '|u1', 'fortran_order': False, 'shape': " + text + "}", bytes))
        .shape;
  };
  EXPECT_THAT(shape("()", 1), IsEmpty());
  EXPECT_THAT(shape("(5,)", 5), ElementsAre(5));
  EXPECT_THAT(shape("(0, 3)", 0), ElementsAre(0, 3));
  EXPECT_THAT(shape("(1, 2, 3)", 6), ElementsAre(1, 2, 3));
}

TEST(NpyTest, ReadsTypes) {
  const auto type = [](const std::string& descr, std::size_t bytes) {
    return Read(File("{'shape': (1,), 'fortran_order': False, 'descr': \"" + descr + "\"}", bytes))
        .dtype;
  };
  EXPECT_EQ(type("<f2", 2), Dtype::kFloat16);
  EXPECT_EQ(type("<i8", 8), Dtype::kInt64);
  EXPECT_EQ(type("|b1", 1), Dtype::kBool);
  EXPECT_EQ(type("<c16", 16), Dtype::kComplex128);
  EXPECT_EQ(type("|V2", 2), Dtype::kUnknown);
}

TEST(NpyTest, ReadsVersionsWithLongLengths) {
  for (const char version : {'\x02', '\x03'}) {
    const std::string dictionary = "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}";
    std::string file("\x93NUMPY", 6);
    file += version + std::string(1, '\0') + static_cast<char>(dictionary.size());
    file += std::string(3, '\0') + dictionary + std::string(8, '\0');
    EXPECT_EQ(Read(file).dtype, Dtype::kFloat64);
    EXPECT_EQ(Read(file).offset, 12 + dictionary.size());
  }
}

TEST(NpyTest, RefusesOtherFiles) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("not a .npy file"));
  EXPECT_THAT(ErrorOf("PK\x03\x04 a zip file"), HasSubstr("not a .npy file"));
  const std::string good = File("{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 8);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(ErrorOf(good.substr(0, length)), "") << length;
  }
  EXPECT_THAT(ErrorOf(good.substr(0, good.size() - 1)), HasSubstr("before the last element"));
  std::string future = good;
  future[6] = 4;
  EXPECT_THAT(ErrorOf(future), HasSubstr("version"));
}

TEST(NpyTest, SaysWhatIsWrongWithAHeader) {
  const auto error = [](const std::string& dictionary) { return ErrorOf(File(dictionary, 64)); };
  EXPECT_EQ(error("[]"), "byte 10: expected {");
  EXPECT_THAT(error("{'descr': '>f4'"), HasSubstr("big-endian"));
  EXPECT_THAT(error("{'descr': [('a', '<f4')]"), HasSubstr("structured"));
  EXPECT_THAT(error("{'descr': '<U7'"), HasSubstr("expected a type of numbers"));
  EXPECT_THAT(error("{'descr': '|O'"), HasSubstr("expected a type of numbers"));
  EXPECT_THAT(error("{'fortran_order': True"), HasSubstr("fortran_order False"));
  EXPECT_THAT(error("{'descr': '<f4', 'shape': (1,)}"), HasSubstr("expected the keys"));
  EXPECT_THAT(error("{'descr': '<f4', 'descr': '<f4'}"), HasSubstr("once"));
  EXPECT_THAT(error("{'name': 1}"), HasSubstr("each of the keys"));
  EXPECT_THAT(error("{'shape': (1, -2)"), HasSubstr("expected a number"));
  EXPECT_THAT(error("{'shape': (1,, 2)"), HasSubstr("expected a number"));
  const std::string types = "{'descr': '<f8', 'fortran_order': False, 'shape': ";
  EXPECT_THAT(error(types + "(4294967296, 4294967296)}"), HasSubstr("too large"));
  EXPECT_THAT(error(types + "(1,)} x"), HasSubstr("behind the dictionary"));
  std::string axes = "1,";
  for (int i = 0; i < 64; ++i) axes += "1,";
  EXPECT_THAT(error(types + "(" + axes + ")}"), HasSubstr("more than 64"));
}

}  // namespace
}  // namespace graphtap::arrays
