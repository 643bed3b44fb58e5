// What is said of a wrong specification: the message, the text, the caret.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/spec/specification.h"

namespace graphtap::spec {
namespace {

struct Wrong {
  const char* text;
  std::size_t place;    // of the caret, in the text
  const char* message;  // a part of it
};

// Names a case in the output of the test.
void PrintTo(const Wrong& wrong, std::ostream* out) { *out << wrong.text; }

std::string ThreeLines(const Wrong& wrong) {
  return std::string("\n  ") + wrong.text + "\n  " + std::string(wrong.place, ' ') + '^';
}

class SpecificationErrorTest : public testing::TestWithParam<Wrong> {};

TEST_P(SpecificationErrorTest, SaysWhatAndWhere) {
  std::string error;
  EXPECT_FALSE(ParseSpecification(GetParam().text, &error));
  EXPECT_THAT(error, testing::HasSubstr(GetParam().message));
  EXPECT_THAT(error, testing::EndsWith(ThreeLines(GetParam())));
}

constexpr const char* kSelectors =
    "expected one of kernel:PATTERN, scope:PATTERN, node:PATTERN, op:PATTERN, grad:PATTERN, all";
constexpr const char* kActions = "expected one of none, digest, hash, copy, copy:BYTES";
constexpr const char* kOperands = "expected one of .argN, .argN+0xHEX, .dst, .src";
constexpr const char* kEmptyPattern = "the pattern is empty";

INSTANTIATE_TEST_SUITE_P(
    Selectors, SpecificationErrorTest,
    testing::Values(
        Wrong{"", 0, "empty rule: expected one of kernel:PATTERN"}, Wrong{"  ", 2, "empty rule"},
        Wrong{"all;", 4, "empty rule"}, Wrong{"all;;all", 4, "empty rule"},
        Wrong{";all", 0, "empty rule"}, Wrong{"softmax", 0, kSelectors},
        Wrong{"softmax", 0, "unknown selector 'softmax'"},
        Wrong{"All", 0, "unknown selector 'All'"}, Wrong{"=hash", 0, "not '='"},
        Wrong{"all,", 4, "not the end"}, Wrong{"all,,all", 4, "not ','"},
        Wrong{"kernel", 6, "expected ':' and a pattern after 'kernel', not the end"},
        Wrong{"kernel :f", 6, "not ' '"}, Wrong{"kernel:", 7, kEmptyPattern},
        Wrong{"kernel:=hash", 7, kEmptyPattern}, Wrong{"kernel:\"\"", 7, kEmptyPattern},
        Wrong{"kernel:.arg3", 7, kEmptyPattern}, Wrong{"kernel:\"f", 7, "the quote is not closed"},
        Wrong{"kernel:\"f\\\"", 7, "the quote is not closed"},
        Wrong{"kernel:\"a\\n\"", 9, "a \\ between quotes stands before \" or \\, not before 'n'"},
        Wrong{"kernel:f\"g\"", 8,
              "expected one of ',', '=', 'when', ';' after a selector, not '\"'"},
        Wrong{"kernel:\"f\"g", 10, "after a selector, not 'g'"},
        Wrong{"kernel:f g", 9, "after a selector, not 'g'"}, Wrong{"all:f", 3, "not ':'"},
        Wrong{"all.foo", 4, "unknown operand 'foo'"}, Wrong{"all.foo", 4, kOperands},
        Wrong{"all.", 4, kOperands}, Wrong{"all.arg", 4, "unknown operand 'arg'"},
        Wrong{"kernel:\"f\".x", 11, "unknown operand 'x'"},
        Wrong{"kernel:f.arg4294967296", 9, "'arg4294967296': expected a number up to 4294967295"},
        Wrong{"kernel:f.arg1+24", 9, "'arg1+24': expected +0x and hexadecimal digits"},
        Wrong{"kernel:f.arg1+0x", 9, "expected +0x and hexadecimal digits"},
        Wrong{"kernel:f.arg1+0x100000000", 9, "up to +0xffffffff"}));

INSTANTIATE_TEST_SUITE_P(
    Actions, SpecificationErrorTest,
    testing::Values(
        Wrong{"all=", 4, "not the end"}, Wrong{"all=dgest", 4, "unknown action 'dgest'"},
        Wrong{"all=dgest", 4, kActions}, Wrong{"all=hash+", 9, kActions},
        Wrong{"all=+hash", 4, "not '+'"},
        Wrong{"all=hash hash", 9, "expected one of '+', 'when', ';'"},
        Wrong{"all=hash,all", 8, "after an action, not ','"}, Wrong{"all=hash=copy", 8, "not '='"},
        Wrong{"all=hash+hash", 9, "'hash' is there twice"},
        Wrong{"all=copy:1+copy:2", 11, "'copy' is there twice"},
        Wrong{"all=none+hash", 9, "'none' stands alone"},
        Wrong{"all=hash+none", 9, "'none' stands alone"},
        Wrong{"all=copy:0", 9, "expected a number from 1 on, with K, M or G (1024), not '0'"},
        Wrong{"all=copy:", 9, "not the end"}, Wrong{"all=copy:-5", 9, "not '-'"},
        Wrong{"all=copy:12x", 9, "not '12x'"}, Wrong{"all=copy:K", 9, "not 'K'"},
        Wrong{"all=copy:1T", 9, "not '1T'"}, Wrong{"all=copy:1.5K", 9, "not '1.5K'"},
        Wrong{"all=copy:0x10", 9, "not '0x10'"},
        Wrong{"all=copy:18446744073709551616", 9, "'18446744073709551616' is too large"},
        Wrong{"all=copy:17179869184G", 9, "'17179869184G' is too large"},
        Wrong{"all=hash:4", 8, "not ':'"}, Wrong{"all when", 8, "not the end"},
        Wrong{"all when sometimes", 9, "unknown trigger 'sometimes': expected one of always"},
        Wrong{"all when always always", 16, "expected ';' after a trigger, not 'a'"},
        Wrong{"all when always=hash", 15, "expected ';' after a trigger, not '='"}));

INSTANTIATE_TEST_SUITE_P(
    NotYet, SpecificationErrorTest,
    testing::Values(Wrong{"all when nonfinite", 9,
                          "'nonfinite' is not in this version yet: expected one of always"},
                    Wrong{"all when changed", 9, "'changed' is not in this version yet"},
                    Wrong{"all=hash when first:3", 14, "'first' is not in this version yet"}));

TEST(SpecificationError, TheWholeGrammarHasItsErrorsToo) {
  for (const char* text : {"all=print:0", "all=check:", "all=check:\"x", "all when first",
                           "all when first:0", "all when first:x", "all=check:a\"b\""}) {
    std::string error;
    EXPECT_FALSE(ParseSpecification(text, &error, Words::kAll)) << text;
    EXPECT_THAT(error, testing::EndsWith("^")) << text;
  }
}

class ReplaysErrorTest : public testing::TestWithParam<Wrong> {};

TEST_P(ReplaysErrorTest, SaysWhatAndWhere) {
  std::string error;
  EXPECT_FALSE(ParseReplays(GetParam().text, &error));
  EXPECT_THAT(error, testing::HasSubstr(GetParam().message));
  EXPECT_THAT(error, testing::EndsWith(ThreeLines(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(
    Replays, ReplaysErrorTest,
    testing::Values(Wrong{"", 0, "expected one of N, N-M, every:N, not the end"},
                    Wrong{"0", 0, "expected the number of a replay, from 1 on, not '0'"},
                    Wrong{"1,", 2, "not the end"}, Wrong{"1,,2", 2, "not ','"},
                    Wrong{"1 2", 2, "expected ',', not '2'"},
                    Wrong{"5-3", 0, "the range '5-3' is empty: expected the smaller number first"},
                    Wrong{"1-", 2, "not the end"}, Wrong{"1-2-3", 3, "expected ',', not '-'"},
                    Wrong{"0-3", 0, "not '0'"}, Wrong{"-3", 0, "not '-'"},
                    Wrong{"1;2", 1, "expected ',', not ';'"},
                    Wrong{"18446744073709551616", 0, "is too large"}, Wrong{"1x", 0, "not '1x'"},
                    Wrong{"every", 5, "expected ':' and a number after 'every'"},
                    Wrong{"every:0", 6, "expected a number of replays, from 1 on, not '0'"},
                    Wrong{"every:", 6, "not the end"},
                    Wrong{"each:3", 0, "expected one of N, N-M, every:N, not 'each'"},
                    Wrong{"random:0.5", 0,
                          "'random' is not in this version yet: expected one of N, N-M, every:N"},
                    Wrong{"1,budget:5", 2, "'budget' is not in this version yet"}));

TEST(ReplaysError, TheWholeGrammarHasItsErrorsToo) {
  for (const char* text : {"random:0", "random:1.5", "random:nan", "random:1e-3", "random:-1",
                           "random:0.5:", "random:0.5:x", "budget:0", "budget:101", "budget:inf"}) {
    std::string error;
    EXPECT_FALSE(ParseReplays(text, &error, Words::kAll)) << text;
    EXPECT_THAT(error, testing::HasSubstr("\n  ")) << text;
  }
}

std::string ErrorOf(const std::string& text) {
  std::string error;
  EXPECT_FALSE(ParseSpecification(text, &error));
  return error;
}

TEST(SpecificationError, ALongTextIsCutAroundThePlace) {
  const std::string text =
      "kernel:" + std::string(100, 'a') + "=bad;kernel:" + std::string(100, 'b');
  EXPECT_THAT(ErrorOf(text), testing::EndsWith("\n  ..." + std::string(44, 'a') +
                                               "=bad;kernel:" + std::string(10, 'b') + "...\n" +
                                               std::string(2 + 3 + 45, ' ') + "^"));
}

TEST(SpecificationError, TheTerminalStaysIntact) {
  EXPECT_THAT(ErrorOf("\n\tall=\x1b[2J"),
              testing::EndsWith("\n    all=?[2J\n" + std::string(8, ' ') + "^"));
  EXPECT_THAT(ErrorOf("kernel:\xff=x"), testing::EndsWith("\n  kernel:?=x\n           ^"));
  EXPECT_THAT(ErrorOf("kernel:\xc2\x9b=x"), testing::EndsWith("\n  kernel:?\?=x\n            ^"));
  // One column a character.
  EXPECT_THAT(ErrorOf("kernel:\xc2\xb5=x"),
              testing::EndsWith("\n  kernel:\xc2\xb5=x\n           ^"));
  EXPECT_THAT(ErrorOf("kernel:\xc3\xbc=x"),
              testing::EndsWith("\n  kernel:\xc3\xbc=x\n           ^"));
  EXPECT_THAT(ErrorOf("all=\xc3\xbc"), testing::HasSubstr("not '\xc3\xbc'\n"));
}

TEST(SpecificationError, ALongWordIsCutInTheMessage) {
  EXPECT_THAT(ErrorOf(std::string(60, 'x')),
              testing::StartsWith("unknown selector '" + std::string(37, 'x') + "...': expected"));
}

TEST(SpecificationError, AnOldMessageGoesAway) {
  std::string error = "old";
  EXPECT_TRUE(ParseSpecification("all", &error));
  EXPECT_EQ(error, "");
  error = "old";
  EXPECT_TRUE(ParseReplays("1", &error));
  EXPECT_EQ(error, "");
}

}  // namespace
}  // namespace graphtap::spec
