#include "proto/lists/environment.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

namespace graphtap {
namespace {

using Variables = std::map<std::string, std::string>;

std::optional<Settings> Parse(const Variables& variables, std::string* error = nullptr) {
  std::string ignored;
  return ParseSettings(
      [&](const char* name) {
        const auto found = variables.find(name);
        return found == variables.end() ? nullptr : found->second.c_str();
      },
      error == nullptr ? &ignored : error);
}

TEST(Environment, DefaultsHold) {
  const auto settings = Parse({});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->out, "");
  EXPECT_EQ(settings->zstd_level, 1);
  EXPECT_EQ(settings->site_bytes, 65536u);
  EXPECT_EQ(settings->host_bytes, 512ull << 20);
  EXPECT_EQ(settings->log, LogLevel::warning);
}

TEST(Environment, EmptyIsTheDefault) { EXPECT_EQ(Parse({{"GRAPHTAP_ZSTD", ""}})->zstd_level, 1); }

TEST(Environment, ValuesAreRead) {
  const auto settings = Parse({{"GRAPHTAP_OUT", "run"},
                               {"GRAPHTAP_ZSTD", "0"},
                               {"GRAPHTAP_SITE_BYTES", "2M"},
                               {"GRAPHTAP_HOST_MB", "1"},
                               {"GRAPHTAP_LOG", "quiet"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->out, "run");
  EXPECT_EQ(settings->zstd_level, 0);
  EXPECT_EQ(settings->site_bytes, 2u << 20);
  EXPECT_EQ(settings->host_bytes, 1u << 20);
  EXPECT_EQ(settings->log, LogLevel::quiet);
}

TEST(Environment, MalformedValuesAreRefusedWithWhatIsAllowed) {
  for (const auto& [variable, value] :
       Variables{{"GRAPHTAP_ZSTD", "20"}, {"GRAPHTAP_SITE_BYTES", "0"}, {"GRAPHTAP_LOG", "loud"}}) {
    std::string error;
    EXPECT_FALSE(Parse({{variable, value}}, &error));
    EXPECT_THAT(error, testing::HasSubstr(variable + "='" + value + "': allowed is "));
  }
}

TEST(Environment, BytesTakeUnits) {
  EXPECT_EQ(ParseBytes("17"), 17u);
  EXPECT_EQ(ParseBytes("64K"), 65536u);
  EXPECT_EQ(ParseBytes("1T"), 1ull << 40);
  EXPECT_EQ(ParseBytes("9223372036854775808"), 1ull << 63);
  for (const char* wrong :
       {"", "K", "-1", "1k", "1 K", "0x10", "9223372036854775809", "16777216T"}) {
    EXPECT_EQ(ParseBytes(wrong), std::nullopt) << wrong;
  }
}

TEST(Environment, TheFirstRankVariableCounts) {
  const Variables variables{{"SLURM_PROCID", "7"}, {"SLURM_NTASKS", "8"}, {"PMI_RANK", "3"}};
  const auto rank = ReadRank([&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  EXPECT_EQ(rank.rank, 7u);
  EXPECT_EQ(rank.world_size, 8u);
  EXPECT_EQ(rank.variable, "SLURM_PROCID");
}

}  // namespace
}  // namespace graphtap
