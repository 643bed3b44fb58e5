// Headers of .safetensors files, and what is wrong with others.
#include "proto/arrays/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace graphtap::arrays {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string File(const std::string& json, std::size_t data_bytes) {
  std::string file(8, '\0');
  for (unsigned i = 0; i < 8; ++i) file[i] = static_cast<char>(json.size() >> (8 * i) & 0xff);
  return file + json + std::string(data_bytes, '\0');
}

std::optional<std::vector<Array>> Parse(const std::string& file, std::string* error) {
  return ParseSafetensors(std::as_bytes(std::span(file)), file.size(), error);
}

std::vector<Array> Read(const std::string& file) {
  std::string error;
  const auto arrays = Parse(file, &error);
  EXPECT_TRUE(arrays) << error;
  return arrays.value_or(std::vector<Array>());
}

std::string ErrorOf(const std::string& file) {
  std::string error;
  EXPECT_FALSE(Parse(file, &error));
  return error;
}

TEST(SafetensorsTest, ReadsTensorsByName) {
  const std::string json = R"({"__metadata__":{"format":"pt"},)"
                           R"("w":{"dtype":"BF16","shape":[2,3],"data_offsets":[4,16]},)"
                           R"("b":{"dtype":"F32","shape":[],"data_offsets":[0,4]}}   )";
  const auto arrays = Read(File(json, 16));
  ASSERT_EQ(arrays.size(), 2u);
  EXPECT_EQ(arrays[0].name, "b");
  EXPECT_EQ(arrays[0].dtype, Dtype::kFloat32);
  EXPECT_EQ(arrays[0].offset, 8 + json.size());
  EXPECT_EQ(arrays[0].bytes, 4u);
  EXPECT_EQ(arrays[1].name, "w");
  EXPECT_EQ(arrays[1].dtype, Dtype::kBfloat16);
  EXPECT_THAT(arrays[1].shape, ElementsAre(2, 3));
  EXPECT_EQ(arrays[1].offset, 8 + json.size() + 4);
  EXPECT_TRUE(Read(File("{}", 0)).empty());
}

TEST(SafetensorsTest, TypesOfLaterVersionsAreBytes) {
  const auto arrays = Read(File(R"({"x":{"dtype":"F4","shape":[4],"data_offsets":[0,2]}})", 2));
  ASSERT_EQ(arrays.size(), 1u);
  EXPECT_EQ(arrays[0].dtype, Dtype::kUnknown);
  EXPECT_EQ(arrays[0].bytes, 2u);
}

TEST(SafetensorsTest, ReadsNamesAsJsonWritesThem) {
  const auto name = [](const std::string& text) {
    return Read(File("{\"" + text + R"(":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1))
        .at(0)
        .name;
  };
  EXPECT_EQ(name(R"(a\"\\\/\n)"), "a\"\\/\n");
  EXPECT_EQ(name(R"(\u00e9\u20ac\ud83d\ude00)"), "\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80");
}

TEST(SafetensorsTest, RefusesWhatIsNoHeader) {
  EXPECT_THAT(ErrorOf(""), HasSubstr("less than eight bytes"));
  EXPECT_THAT(ErrorOf("\x93NUMPY\x01\x02 something"), HasSubstr("more than 16 MiB"));
  const std::string good = File(R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1);
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_NE(ErrorOf(good.substr(0, length)), "") << length;
  }
  EXPECT_EQ(ErrorOf(File("[1]", 0)), "byte 8: expected {");
  EXPECT_THAT(ErrorOf(File("{} {}", 0)), HasSubstr("behind the header's object"));
  EXPECT_THAT(ErrorOf(File(std::string("{\"a\nb\""), 0)), HasSubstr("control character"));
  EXPECT_THAT(ErrorOf(File(R"({"\ud83d":)", 0)), HasSubstr("escape"));
  EXPECT_THAT(ErrorOf(File(R"({"\x41":)", 0)), HasSubstr("escape"));
}

TEST(SafetensorsTest, RefusesTensorsThatDoNotFit) {
  const auto error = [](const std::string& members) {
    return ErrorOf(File("{\"x\":{" + members + "}}", 8));
  };
  EXPECT_THAT(error(R"("dtype":"F32","shape":[2])"), HasSubstr("two data_offsets"));
  EXPECT_THAT(error(R"("dtype":"F32","shape":[2],"data_offsets":[0])"), HasSubstr("two data_off"));
  EXPECT_THAT(error(R"("dtype":"F32","dtype":"F32")"), HasSubstr("once"));
  EXPECT_THAT(error(R"("strides":[1])"), HasSubstr("expected each of the members"));
  const std::string two = R"("dtype":"F32","shape":[2],"data_offsets":)";
  EXPECT_THAT(error(two + "[0,4]"), HasSubstr("do not fit"));
  EXPECT_THAT(error(two + "[8,0]"), HasSubstr("outside of the file"));
  EXPECT_THAT(error(two + "[4,12]"), HasSubstr("outside of the file"));
  EXPECT_THAT(error(two + "[0,-8]"), HasSubstr("expected a number"));
  EXPECT_THAT(error(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,0])"),
              HasSubstr("do not fit"));
  EXPECT_THAT(error(R"("dtype":"F32","shape":[1,],"data_offsets":[0,4])"),
              HasSubstr("expected a number"));
  const std::string one = R"({"dtype":"U8","shape":[1],"data_offsets":[0,1]})";
  EXPECT_THAT(ErrorOf(File("{\"x\":" + one + ",\"x\":" + one + "}", 1)), HasSubstr("one name"));
}

TEST(SafetensorsTest, SaysHowMuchOfTheFileItNeeds) {
  const std::string file = File("{}      ", 4);
  std::string error;
  const auto begin = std::as_bytes(std::span(file)).first(8);
  EXPECT_EQ(SafetensorsHead(begin, file.size(), &error), 16u);
  EXPECT_FALSE(ParseSafetensors(begin, file.size(), &error));
  EXPECT_FALSE(SafetensorsHead(begin, 15, &error));
  EXPECT_THAT(error, HasSubstr("ends in the header"));
}

}  // namespace
}  // namespace graphtap::arrays
