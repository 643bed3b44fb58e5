// What a specification means; tests/unit/spec_error_test.cc has what is wrong.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "proto/spec/specification.h"

namespace graphtap::spec {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using OperandKind = OperandName::Kind;

std::vector<Rule> Rules(std::string_view text, Words words = Words::kSupported) {
  std::string error;
  auto specification = ParseSpecification(text, &error, words);
  EXPECT_TRUE(specification) << error;
  return specification ? specification->rules : std::vector<Rule>();
}

Selector OnlySelector(std::string_view text, Words words = Words::kSupported) {
  const auto rules = Rules(text, words);
  EXPECT_EQ(rules.size(), 1u) << text;
  EXPECT_EQ(rules.at(0).selectors.size(), 1u) << text;
  return rules.at(0).selectors.at(0);
}

Selector Of(SelectorKind kind, std::string pattern, std::optional<OperandName> operand = {}) {
  return {kind, std::move(pattern), operand};
}

OperandName Argument(std::uint32_t index, std::optional<std::uint32_t> offset = {}) {
  return {OperandKind::kArgument, index, offset};
}

TEST(SpecParser, AllIsEverySiteDigested) {
  const auto rules = Rules("all");
  ASSERT_EQ(rules.size(), 1u);
  EXPECT_THAT(rules[0].selectors, ElementsAre(Of(SelectorKind::kAll, "")));
  EXPECT_THAT(rules[0].actions, ElementsAre(Action{ActionKind::kDigest, 0, ""}));
  EXPECT_FALSE(rules[0].none);
  EXPECT_EQ(rules[0].trigger, Trigger{});
  EXPECT_EQ(rules[0].text, "all");
}

TEST(SpecParser, KindsOfSelectors) {
  EXPECT_EQ(OnlySelector("kernel:soft*"), Of(SelectorKind::kKernel, "soft*"));
  EXPECT_EQ(OnlySelector("scope:a/b"), Of(SelectorKind::kScope, "a/b"));
  EXPECT_EQ(OnlySelector("node:train_step#0/17"), Of(SelectorKind::kNode, "train_step#0/17"));
  EXPECT_EQ(OnlySelector("kernel:at::native::f"), Of(SelectorKind::kKernel, "at::native::f"));
  EXPECT_EQ(OnlySelector("op:aten::add", Words::kAll), Of(SelectorKind::kOp, "aten::add"));
  EXPECT_EQ(OnlySelector("grad:fc.weight", Words::kAll), Of(SelectorKind::kGrad, "fc.weight"));
}

TEST(SpecParser, Operands) {
  EXPECT_EQ(OnlySelector("kernel:f.arg3"), Of(SelectorKind::kKernel, "f", Argument(3)));
  EXPECT_EQ(OnlySelector("kernel:f.arg0+0x18"), Of(SelectorKind::kKernel, "f", Argument(0, 0x18)));
  EXPECT_EQ(OnlySelector("kernel:f.arg4294967295+0xFFffffff"),
            Of(SelectorKind::kKernel, "f", Argument(0xffffffff, 0xffffffff)));
  EXPECT_EQ(OnlySelector("all.arg1+0x0"), Of(SelectorKind::kAll, "", Argument(1, 0)));
  const OperandName destination{OperandKind::kDestination, 0, {}},
      source{OperandKind::kSource, 0, {}};
  EXPECT_EQ(OnlySelector("node:memcpy.dst"), Of(SelectorKind::kNode, "memcpy", destination));
  EXPECT_EQ(OnlySelector("node:memcpy.src"), Of(SelectorKind::kNode, "memcpy", source));
  const OperandName output{OperandKind::kOutput, 0, {}}, input{OperandKind::kInput, 2, {}};
  EXPECT_EQ(OnlySelector("op:aten::add.Tensor.out0", Words::kAll),
            Of(SelectorKind::kOp, "aten::add.Tensor", output));
  EXPECT_EQ(OnlySelector("op:aten::add.in2", Words::kAll),
            Of(SelectorKind::kOp, "aten::add", input));
}

TEST(SpecParser, OnlyTheLastPartInTheRightFormIsAnOperand) {
  for (const char* pattern :
       {"aten::add.Tensor", "f.arg", "f.arg3x", "f.Arg3", "f.arg3.x", "f.dst0", "f.out",
        "f.out0+0x8", "f.", "f.3", "f.arg+0x8", "f.dst+0x8", "arg3"}) {
    EXPECT_EQ(OnlySelector(std::string("kernel:") + pattern), Of(SelectorKind::kKernel, pattern));
  }
  EXPECT_EQ(OnlySelector("kernel:f.arg1.arg2"), Of(SelectorKind::kKernel, "f.arg1", Argument(2)));
}

TEST(SpecParser, QuotedPatterns) {
  EXPECT_EQ(OnlySelector(R"x(kernel:"f(int, float*)")x"),
            Of(SelectorKind::kKernel, "f(int, float*)"));
  EXPECT_EQ(OnlySelector(R"(kernel:"a;b=c".arg3)"),
            Of(SelectorKind::kKernel, "a;b=c", Argument(3)));
  EXPECT_EQ(OnlySelector(R"(kernel:"f.arg3")"), Of(SelectorKind::kKernel, "f.arg3"));
  EXPECT_EQ(OnlySelector(R"(scope:"say \"a\\b\"")"), Of(SelectorKind::kScope, R"(say "a\b")"));
}

TEST(SpecParser, Actions) {
  const auto rule = Rules("all=hash+copy:4K+digest")[0];
  EXPECT_THAT(rule.actions,
              ElementsAre(Action{ActionKind::kHash, 0, ""}, Action{ActionKind::kCopy, 4096, ""},
                          Action{ActionKind::kDigest, 0, ""}));
  EXPECT_THAT(Rules("all=copy")[0].actions, ElementsAre(Action{ActionKind::kCopy, 0, ""}));
  EXPECT_THAT(Rules("all=copy:17")[0].actions, ElementsAre(Action{ActionKind::kCopy, 17, ""}));
  EXPECT_THAT(Rules("all=copy:3G")[0].actions,
              ElementsAre(Action{ActionKind::kCopy, 3ull << 30, ""}));
  const auto none = Rules("kernel:f=none")[0];
  EXPECT_TRUE(none.none);
  EXPECT_THAT(none.actions, IsEmpty());
  EXPECT_THAT(
      Rules("all=print:8+check:a/b.npz", Words::kAll)[0].actions,
      ElementsAre(Action{ActionKind::kPrint, 8, ""}, Action{ActionKind::kCheck, 0, "a/b.npz"}));
  EXPECT_THAT(
      Rules(R"(all=check:"a + b"+print)", Words::kAll)[0].actions,
      ElementsAre(Action{ActionKind::kCheck, 0, "a + b"}, Action{ActionKind::kPrint, 0, ""}));
}

TEST(SpecParser, Triggers) {
  using Kind = Trigger::Kind;
  EXPECT_EQ(Rules("all when always")[0].trigger, (Trigger{Kind::kAlways, 0}));
  EXPECT_EQ(Rules("all=hash when nonfinite", Words::kAll)[0].trigger,
            (Trigger{Kind::kNonfinite, 0}));
  EXPECT_EQ(Rules("all when changed", Words::kAll)[0].trigger, (Trigger{Kind::kChanged, 0}));
  EXPECT_EQ(Rules("all when first:2K", Words::kAll)[0].trigger, (Trigger{Kind::kFirst, 2048}));
}

TEST(SpecParser, SeveralRulesAndSelectors) {
  const auto rules =
      Rules(" kernel:f.arg0 , kernel:g=copy:64 ;\n\tscope:a = hash + copy when always;all=none ");
  ASSERT_EQ(rules.size(), 3u);
  EXPECT_THAT(rules[0].selectors, ElementsAre(Of(SelectorKind::kKernel, "f", Argument(0)),
                                              Of(SelectorKind::kKernel, "g")));
  EXPECT_EQ(rules[0].text, "kernel:f.arg0 , kernel:g=copy:64");
  EXPECT_EQ(rules[1].text, "scope:a = hash + copy when always");
  EXPECT_EQ(rules[1].actions.size(), 2u);
  EXPECT_EQ(rules[2].text, "all=none");
}

TEST(SpecParser, TextIsCanonical) {
  struct Case {
    const char* text;
    const char* canonical;
  };
  for (const auto& [text, canonical] : {
           Case{"all", "all=digest"},
           Case{" all . dst", nullptr},
           Case{" kernel:f.arg03+0x0A , all = copy:2K + hash when always ;all=none",
                "kernel:f.arg3+0xa,all=copy:2048+hash;all=none"},
           Case{R"(kernel:"f".arg1)", "kernel:f.arg1=digest"},
           Case{R"(kernel:"f.arg1")", R"(kernel:"f.arg1"=digest)"},
           Case{R"(kernel:"f.arg1+z")", R"(kernel:"f.arg1+z"=digest)"},
           Case{R"x(kernel:"f(\"a\\\", b)")x", R"x(kernel:"f(\"a\\\", b)"=digest)x"},
           Case{"op:a.in1=print:3+check:x when first:7", "op:a.in1=print:3+check:x when first:7"},
           Case{R"(all=check:"a+b")", R"(all=check:"a+b")"},
       }) {
    std::string error;
    const auto specification = ParseSpecification(text, &error, Words::kAll);
    ASSERT_EQ(specification.has_value(), canonical != nullptr) << text << error;
    if (!specification) continue;
    EXPECT_EQ(Text(*specification), canonical);
    EXPECT_EQ(ParseSpecification(canonical, &error, Words::kAll), specification) << error;
  }
}

}  // namespace
}  // namespace graphtap::spec
