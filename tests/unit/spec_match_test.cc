// Globs, selectors and operands: what they mean of a node.

#include "proto/spec/match.h"

#include <gtest/gtest.h>

#include <string>

namespace graphtap::spec {
namespace {

struct GlobCase {
  const char* pattern;
  const char* text;
  bool matches;
};

void PrintTo(const GlobCase& test, std::ostream* out) { *out << test.pattern << " " << test.text; }

class GlobTest : public testing::TestWithParam<GlobCase> {};

TEST_P(GlobTest, Matches) {
  EXPECT_EQ(Matches(GetParam().pattern, GetParam().text), GetParam().matches);
}

INSTANTIATE_TEST_SUITE_P(
    Stars, GlobTest,
    testing::Values(
        GlobCase{"", "", true}, GlobCase{"", "a", false}, GlobCase{"a", "", false},
        GlobCase{"abc", "abc", true}, GlobCase{"abc", "abcd", false}, GlobCase{"abc", "ABC", false},
        GlobCase{"*", "", true}, GlobCase{"*", "a/b::c", true}, GlobCase{"**", "x", true},
        GlobCase{"a*c", "ac", true}, GlobCase{"a*c", "abcbc", true}, GlobCase{"a*c", "abcb", false},
        GlobCase{"*ab*ab", "abxab", true}, GlobCase{"*ab*ab", "xab", false},
        GlobCase{"?", "a", true}, GlobCase{"?", "", false}, GlobCase{"??", "a", false},
        GlobCase{"a?c", "abc", true}, GlobCase{"*?c", "bc", true}, GlobCase{"*?c", "c", false},
        GlobCase{"a\\*", "a*", false}, GlobCase{"a\\*", "a\\b", true}));

INSTANTIATE_TEST_SUITE_P(
    Sets, GlobTest,
    testing::Values(
        GlobCase{"[abc]", "b", true}, GlobCase{"[abc]", "d", false}, GlobCase{"[abc]", "", false},
        GlobCase{"[a-c]x", "bx", true}, GlobCase{"[a-c]", "-", false},
        GlobCase{"[a-cx-z]", "y", true}, GlobCase{"[!a-c]", "d", true},
        GlobCase{"[!a-c]", "b", false}, GlobCase{"[]a]", "]", true}, GlobCase{"[]a]", "a", true},
        GlobCase{"[!]a]", "]", false}, GlobCase{"[!]a]", "b", true}, GlobCase{"[-a]", "-", true},
        GlobCase{"[a-]", "-", true}, GlobCase{"[a-]", "b", false}, GlobCase{"[c-a]", "b", false},
        GlobCase{"[*]", "*", true}, GlobCase{"[*]", "a", false}, GlobCase{"[?]", "?", true},
        GlobCase{"a[!!]b", "a!b", false}, GlobCase{"[", "[", true}, GlobCase{"[a", "[a", true},
        GlobCase{"[a", "a", false}, GlobCase{"[]", "[]", true}, GlobCase{"[!]", "[!]", true},
        GlobCase{"a]", "a]", true}, GlobCase{"[\x80-\xff]", "\xc3", true},
        GlobCase{"*[0-9]", "gemm128", true}, GlobCase{"*[0-9]*x", "a1b2", false}));

TEST(Glob, ManyStarsOfALongTextEndSoon) {
  const std::string text(20000, 'a');
  std::string pattern;
  for (int i = 0; i < 50; ++i) pattern += "*a";
  EXPECT_TRUE(Matches(pattern, text));
  EXPECT_FALSE(Matches(pattern + "*b", text));
}

NodeFacts Kernel() {
  NodeFacts facts;
  facts.kind = "kernel";
  facts.kernel_short = "at::fill";
  facts.kernel_demangled = "void at::fill<float>(float*, int)";
  facts.kernel_mangled = "_ZN2at4fillIfEEvPT_i";
  facts.scope = "step/forward/attention";
  facts.place = "train#0/17";
  return facts;
}

bool Selects(SelectorKind kind, const char* pattern, const NodeFacts& facts) {
  return SelectorMatches({kind, pattern, {}}, facts);
}

TEST(SelectorMatches, AKernelByAnyOfItsNames) {
  const auto facts = Kernel();
  EXPECT_TRUE(Selects(SelectorKind::kKernel, "at::fill", facts));
  EXPECT_TRUE(Selects(SelectorKind::kKernel, "*fill<float>*", facts));
  EXPECT_TRUE(Selects(SelectorKind::kKernel, "_ZN2at4fillIfE*", facts));
  EXPECT_FALSE(Selects(SelectorKind::kKernel, "fill", facts));
  EXPECT_FALSE(Selects(SelectorKind::kKernel, "kernel", facts));
}

TEST(SelectorMatches, AScopeByAnyLeadingPart) {
  const auto facts = Kernel();
  EXPECT_TRUE(Selects(SelectorKind::kScope, "step", facts));
  EXPECT_TRUE(Selects(SelectorKind::kScope, "step/forward", facts));
  EXPECT_TRUE(Selects(SelectorKind::kScope, "step/forward/attention", facts));
  EXPECT_TRUE(Selects(SelectorKind::kScope, "*attention", facts));
  EXPECT_FALSE(Selects(SelectorKind::kScope, "step/for", facts));
  EXPECT_FALSE(Selects(SelectorKind::kScope, "forward", facts));
  NodeFacts outside = facts;
  outside.scope = "";
  EXPECT_FALSE(Selects(SelectorKind::kScope, "*", outside));
}

TEST(SelectorMatches, ANodeByPlaceOrKind) {
  NodeFacts copy;
  copy.kind = "memcpy";
  copy.place = "train#0/3";
  EXPECT_TRUE(Selects(SelectorKind::kNode, "memcpy", copy));
  EXPECT_TRUE(Selects(SelectorKind::kNode, "train#0/3", copy));
  EXPECT_TRUE(Selects(SelectorKind::kNode, "train#*", copy));
  EXPECT_FALSE(Selects(SelectorKind::kNode, "memset", copy));
  EXPECT_FALSE(Selects(SelectorKind::kNode, "3", copy));
  EXPECT_FALSE(Selects(SelectorKind::kKernel, "*", copy));
}

TEST(SelectorMatches, AllIsKernelsCopiesAndFills) {
  NodeFacts facts;
  for (const char* kind : {"kernel", "memcpy", "memset"}) {
    facts.kind = kind;
    EXPECT_TRUE(Selects(SelectorKind::kAll, "", facts)) << kind;
  }
  for (const char* kind : {"", "event_record", "empty"}) {
    facts.kind = kind;
    EXPECT_FALSE(Selects(SelectorKind::kAll, "", facts)) << kind;
  }
}

TEST(SelectorMatches, AnOperatorByItsNameAndByThoseAroundIt) {
  NodeFacts facts = Kernel();
  EXPECT_FALSE(Selects(SelectorKind::kOp, "*", facts));
  const std::string_view ops[] = {"aten::add.Tensor", "Optimizer.step#AdamW.step"};
  facts.ops = ops;
  EXPECT_TRUE(Selects(SelectorKind::kOp, "aten::add.Tensor", facts));
  EXPECT_TRUE(Selects(SelectorKind::kOp, "aten::add", facts));
  EXPECT_TRUE(Selects(SelectorKind::kOp, "Optimizer.step#*", facts));
  EXPECT_FALSE(Selects(SelectorKind::kOp, "Optimizer.step#AdamW", facts)) << "no overload";
  EXPECT_FALSE(Selects(SelectorKind::kOp, "add", facts));
  facts.kind = "empty";
  EXPECT_FALSE(Selects(SelectorKind::kOp, "*", facts));
}

TEST(Selects, WhatASelectorMeansThatNamesNoOperand) {
  NodeFacts facts = Kernel();
  const std::string_view ops[] = {"aten::add.Tensor"};
  const OperandFacts argument{}, output{OperandRole::kOutput, 0, {}};
  const Selector all{SelectorKind::kAll, "", {}}, op{SelectorKind::kOp, "aten::add", {}},
      kernel{SelectorKind::kKernel, "at::fill", {}};
  EXPECT_TRUE(Selects(all, facts, argument));
  facts.ops = ops;
  facts.op_has_tensors = true;
  EXPECT_FALSE(Selects(all, facts, argument));
  EXPECT_TRUE(Selects(all, facts, output));
  EXPECT_TRUE(Selects(op, facts, output));
  EXPECT_FALSE(Selects(op, facts, argument));
  EXPECT_TRUE(Selects(kernel, facts, argument));
  EXPECT_FALSE(Selects(kernel, facts, output));
}

TEST(Selects, AGradientByWhoseItIs) {
  const std::string_view names[] = {"aten::linear", "aten::add.Tensor", "AddBackward0"};
  NodeFacts facts = Kernel();
  facts.op_has_tensors = true;
  OperandFacts gradient{OperandRole::kGradient, 1, {}, names};
  const auto selects = [&](SelectorKind kind, const char* pattern,
                           std::optional<OperandName> operand = {}) {
    return spec::Selects(Selector{kind, pattern, operand}, facts, gradient);
  };
  for (const char* name : {"aten::linear", "aten::add", "aten::add.Tensor", "Add*0", "*"}) {
    EXPECT_TRUE(selects(SelectorKind::kGrad, name)) << name;
  }
  EXPECT_FALSE(selects(SelectorKind::kGrad, "aten::mm"));
  using Kind = OperandName::Kind;
  const OperandName first{Kind::kGradient, 0, {}}, second{Kind::kGradient, 1, {}},
      output{Kind::kOutput, 1, {}}, input{Kind::kInput, 1, {}};
  EXPECT_TRUE(selects(SelectorKind::kGrad, "aten::linear", second));
  EXPECT_TRUE(selects(SelectorKind::kGrad, "aten::linear", output)) << "of that output";
  EXPECT_FALSE(selects(SelectorKind::kGrad, "aten::linear", first));
  EXPECT_FALSE(selects(SelectorKind::kGrad, "aten::linear", input));
  EXPECT_TRUE(selects(SelectorKind::kOp, "aten::linear", second));
  EXPECT_FALSE(selects(SelectorKind::kOp, "aten::linear", output)) << "the output itself";
  EXPECT_FALSE(selects(SelectorKind::kOp, "aten::linear"));
  for (const auto kind : {SelectorKind::kAll, SelectorKind::kKernel, SelectorKind::kScope}) {
    EXPECT_FALSE(selects(kind, "*"));
  }
  gradient = {};
  EXPECT_FALSE(selects(SelectorKind::kGrad, "*")) << "an argument is no gradient";
}

TEST(OperandMatches, OutputsAndInputsByNumber) {
  const OperandName output{OperandName::Kind::kOutput, 1, {}};
  EXPECT_TRUE(OperandMatches(output, OperandRole::kOutput, 1, {}));
  EXPECT_FALSE(OperandMatches(output, OperandRole::kOutput, 0, {}));
  EXPECT_FALSE(OperandMatches(output, OperandRole::kInput, 1, {}));
  const OperandName input{OperandName::Kind::kInput, 1, {}};
  EXPECT_TRUE(OperandMatches(input, OperandRole::kInput, 1, {}));
  EXPECT_FALSE(OperandMatches(input, OperandRole::kArgument, 1, {}));
}

TEST(OperandMatches, ArgumentsByIndexAndOffset) {
  using Kind = OperandName::Kind;
  const OperandName third{Kind::kArgument, 3, {}}, inside{Kind::kArgument, 3, 0x18};
  const auto argument = OperandRole::kArgument;
  EXPECT_TRUE(OperandMatches(third, argument, 3, {}));
  EXPECT_TRUE(OperandMatches(third, argument, 3, 0x18));
  EXPECT_FALSE(OperandMatches(third, argument, 2, {}));
  EXPECT_FALSE(OperandMatches(third, argument, {}, {}));
  EXPECT_FALSE(OperandMatches(third, OperandRole::kDestination, 3, {}));
  EXPECT_TRUE(OperandMatches(inside, argument, 3, 0x18));
  EXPECT_FALSE(OperandMatches(inside, argument, 3, 0x10));
  EXPECT_FALSE(OperandMatches(inside, argument, 3, {}));
}

TEST(OperandMatches, EndsOfCopies) {
  const OperandName destination{OperandName::Kind::kDestination, 0, {}};
  const OperandName source{OperandName::Kind::kSource, 0, {}};
  EXPECT_TRUE(OperandMatches(destination, OperandRole::kDestination, {}, {}));
  EXPECT_FALSE(OperandMatches(destination, OperandRole::kSource, {}, {}));
  EXPECT_TRUE(OperandMatches(source, OperandRole::kSource, {}, {}));
  EXPECT_FALSE(OperandMatches(source, OperandRole::kArgument, 0, {}));
}

}  // namespace
}  // namespace graphtap::spec
