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
  EXPECT_TRUE(settings->specification.rules.empty());
  EXPECT_EQ(spec::Text(settings->replays), "1,2,every:100");
  EXPECT_EQ(spec::Text(settings->points), "capture;oom;signal;exit");
  EXPECT_EQ(settings->device_bytes, 256ull << 20);
  EXPECT_EQ(settings->wait_ms, 10u);
  EXPECT_TRUE(settings->python_stacks);
}

TEST(Environment, EmptyIsTheDefault) { EXPECT_EQ(Parse({{"GRAPHTAP_ZSTD", ""}})->zstd_level, 1); }

TEST(Environment, ValuesAreRead) {
  const auto settings = Parse({{"GRAPHTAP_OUT", "run"},
                               {"GRAPHTAP_ZSTD", "0"},
                               {"GRAPHTAP_SITE_BYTES", "2M"},
                               {"GRAPHTAP_HOST_MB", "1"},
                               {"GRAPHTAP_DEVICE_MB", "2"},
                               {"GRAPHTAP_WAIT_MS", "0"},
                               {"GRAPHTAP_STACKS", "off"},
                               {"GRAPHTAP_LOG", "quiet"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->out, "run");
  EXPECT_EQ(settings->zstd_level, 0);
  EXPECT_EQ(settings->site_bytes, 2u << 20);
  EXPECT_EQ(settings->host_bytes, 1u << 20);
  EXPECT_EQ(settings->device_bytes, 2u << 20);
  EXPECT_EQ(settings->wait_ms, 0u);
  EXPECT_FALSE(settings->python_stacks);
  EXPECT_EQ(settings->log, LogLevel::quiet);
}

TEST(Environment, ACheckNeedsSomethingToCompareWith) {
  std::string error;
  EXPECT_FALSE(Parse({{"GRAPHTAP_PROBE", "all=hash;all=print+check"}}, &error));
  EXPECT_EQ(
      error,
      "GRAPHTAP_PROBE: 'check' has nothing to compare with: allowed is check:PATH, or a PATH in "
      "GRAPHTAP_CHECK");
  EXPECT_TRUE(Parse({{"GRAPHTAP_PROBE", "all=check:run1"}}));
  const auto settings = Parse({{"GRAPHTAP_PROBE", "all=check"},
                               {"GRAPHTAP_CHECK", "run 1"},
                               {"GRAPHTAP_CHECK_ABORT", "1"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->check, "run 1");
  EXPECT_TRUE(settings->check_abort);
  EXPECT_FALSE(Parse({{"GRAPHTAP_CHECK_ABORT", "yes"}}));
}

TEST(Environment, WhatToObserveIsRead) {
  const auto settings =
      Parse({{"GRAPHTAP_PROBE", "kernel:f=copy ; all=hash"}, {"GRAPHTAP_REPLAYS", "7,every:2"}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->specification.text, "kernel:f=copy ; all=hash");
  EXPECT_EQ(spec::Text(settings->specification), "kernel:f=copy;all=hash");
  EXPECT_EQ(settings->replays.text(), "7,every:2");
  EXPECT_TRUE(settings->replays.Due(7));
  EXPECT_FALSE(settings->replays.Due(1));
}

TEST(Environment, AWrongSpecificationIsShownWithThePlace) {
  std::string error;
  EXPECT_FALSE(Parse({{"GRAPHTAP_PROBE", "all=bad"}}, &error));
  EXPECT_EQ(error,
            "GRAPHTAP_PROBE: unknown action 'bad': expected one of none, digest, hash, copy, "
            "copy:BYTES, print, print:EVERY, check, check:PATH\n  all=bad\n      ^");
  EXPECT_FALSE(Parse({{"GRAPHTAP_REPLAYS", "1,0"}}, &error));
  EXPECT_EQ(error,
            "GRAPHTAP_REPLAYS: expected the number of a replay, from 1 on, not '0'\n  1,0\n    ^");
}

TEST(Environment, MalformedValuesAreRefusedWithWhatIsAllowed) {
  for (const auto& [variable, value] : Variables{{"GRAPHTAP_ZSTD", "20"},
                                                 {"GRAPHTAP_SITE_BYTES", "0"},
                                                 {"GRAPHTAP_DEVICE_MB", "0"},
                                                 {"GRAPHTAP_WAIT_MS", "60001"},
                                                 {"GRAPHTAP_LOG", "loud"}}) {
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
