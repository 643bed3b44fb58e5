// How the entries of one file become tables.

#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include "analyzer/model/parameters.h"
#include "tests/unit/built_process.h"

namespace graphtap::model {
namespace {

TEST(ProcessBuilderTest, ADefinitionThatComesAgainIsTheSame) {
  const std::string definitions = R"(
      entry { string { id: 0 text: "k" } }
      entry { graph { id: 0 number: 0 version: 0 key: 0 } }
      entry { node { graph: 0 index: 0 position: 0 } }
      entry { node { graph: 0 index: 1 position: 1 } }
      entry { executable { number: 0 graph: 0 key: 0 } })";
  const auto process = BuildProcess(definitions + definitions);
  EXPECT_EQ(process->graphs.at(0).nodes.size(), 2u);
  EXPECT_EQ(process->executables.size(), 1u);
  EXPECT_EQ(process->orphans, 0u);
}

// Else the paths of a small damaged file would take all memory.
TEST(ProcessBuilderTest, PathsOfEndlesslyNestedNodesStayShort) {
  std::string text = "entry { graph { id: 0 number: 0 version: 0 key: 0 } }\n";
  constexpr int kNodes = 20'000;
  for (int i = 0; i < kNodes; ++i) {
    text += "entry { node { graph: 0 index: " + std::to_string(i);
    if (i > 0) text += " parent: " + std::to_string(i - 1);
    text += " position: 7 } }\n";
  }
  const auto process = BuildProcess(text);
  const auto& nodes = process->graphs.at(0).nodes;
  EXPECT_EQ(nodes.at(2).path, "7/7/7");
  std::size_t longest = 0;
  for (const auto& node : nodes) longest = std::max(longest, node.path.size());
  EXPECT_LT(longest, 5000u);
  EXPECT_EQ(nodes.at(2049).path, "?/7") << "behind a path of 4,097 bytes";
}

TEST(ProcessBuilderTest, ADefinitionMayComeAfterItsUse) {
  const auto process = BuildProcess(R"(
      entry { node { graph: 3 index: 0 position: 5 } }
      entry { replay_range { executable: 1 first: 1 last: 2 } }
      entry { graph { id: 3 number: 2 version: 1 key: 9 } }
      entry { executable { number: 1 graph: 3 key: 9 } }
      entry { string { id: 9 text: "step#0" } })");
  EXPECT_EQ(process->orphans, 0u);
  const auto& graph = process->graphs.at(3);
  EXPECT_EQ(graph.name, "g2.v1");
  EXPECT_EQ(graph.key, "step#0");
  EXPECT_FALSE(graph.lost);
  EXPECT_EQ(graph.nodes.at(0).path, "5");
  EXPECT_EQ(process->executables.at(1).graph, &graph);
}

TEST(ProcessBuilderTest, RecordsWithoutTheirDefinitionAreKeptAndCounted) {
  const auto process = BuildProcess(R"(
      entry { node { graph: 3 index: 0 position: 0 scope: 8 } }
      entry { update { executable: 1 call: 4 } }
      entry { replay { executable: 1 error: 700 } }
      entry { replay_range { executable: 1 first: 5 last: 9 } }
      entry { capture { number: 0 key: 2 } })");
  // The update lacks both its call and its executable: the executable is counted by itself.
  EXPECT_EQ(process->orphans, 6u);
  EXPECT_TRUE(process->graphs.at(3).lost);
  EXPECT_EQ(process->graphs.at(3).nodes.at(0).scope, "?");
  const auto& executable = process->executables.at(1);
  EXPECT_TRUE(executable.lost);
  EXPECT_EQ(executable.failures.size(), 1u);
  EXPECT_EQ(executable.replay_count(), 5u);
  EXPECT_EQ(executable.missing_replays(), 4u);
}

TEST(ProcessBuilderTest, AnOperatorIsCalledAtTheInnermostFrameOutsideTheFramework) {
  const auto process = BuildProcess(R"(
      entry { string { id: 0 text: "/usr/lib/python3.11/site-packages/torch/nn/functional.py" } }
      entry { string { id: 1 text: "/home/u/torch/net.py" } }
      entry { string { id: 2 text: "f" } }
      entry { stack { id: 0 frames { file: 0 function: 2 line: 3 } frames { file: 1 function: 2 }
                      frames { file: 1 function: 2 line: 9 } } }
      entry { stack { id: 1 frames { file: 0 function: 2 line: 3 } } }
      entry { graph { id: 0 number: 0 version: 0 key: 2 } }
      entry { op { graph: 0 index: 0 name: 2 stack: 0 } }
      entry { op { graph: 0 index: 1 name: 2 stack: 1 } }
      entry { op { graph: 0 index: 2 name: 2 } }
      entry { op { graph: 0 index: 3 name: 2 stack: 7 } })");
  const auto& ops = process->graphs.at(0).ops;
  EXPECT_EQ(ops.at(0).stack->Place()->Text(), "/home/u/torch/net.py f");
  EXPECT_EQ(ops.at(1).stack->Place()->Text(),
            "/usr/lib/python3.11/site-packages/torch/nn/functional.py:3 f");
  EXPECT_EQ(ops.at(2).stack, nullptr);
  EXPECT_EQ(ops.at(3).stack, nullptr);
  EXPECT_EQ(process->orphans, 1u);
}

TEST(ProcessBuilderTest, ANodeHasTheStackOfItsLaunchElseThatOfItsOperator) {
  const auto process = BuildProcess(R"(
      entry { string { id: 0 text: "f" } }
      entry { stack { id: 4 frames { file: 0 function: 0 line: 4 } } }
      entry { stack { id: 5 frames { file: 0 function: 0 line: 5 } } }
      entry { graph { id: 0 number: 0 version: 0 key: 0 } }
      entry { node { graph: 0 index: 0 op: 0 stack: 5 } }
      entry { node { graph: 0 index: 1 op: 0 } }
      entry { node { graph: 0 index: 2 } }
      entry { op { graph: 0 index: 0 name: 0 stack: 4 } })");
  const auto& nodes = process->graphs.at(0).nodes;
  EXPECT_EQ(nodes.at(0).stack->Place()->line, 5u);
  EXPECT_EQ(nodes.at(1).stack->Place()->line, 4u);
  EXPECT_EQ(nodes.at(2).stack, nullptr);
}

// One whose name was known at its capture, two that were named later, one that lies in none.
TEST(ProcessBuilderTest, AGradientGoesByItsParameter) {
  const auto process = BuildProcess(R"(
      entry { string { id: 0 text: "AccumulateGrad" } }
      entry { string { id: 1 text: "a" } }
      entry { string { id: 2 text: "b" } }
      entry { string { id: 3 text: "step" } }
      entry { graph { id: 0 number: 0 version: 0 key: 0 capture: 0 } }
      entry { op { graph: 0 index: 0 name: 0 gradient { names: [1, 0] invocation: 4 parameter: 16 } } }
      entry { op { graph: 0 index: 1 name: 0 gradient { names: 0 scope: 3 invocation: 5 parameter: 32 } } }
      entry { op { graph: 0 index: 2 name: 0 gradient { names: 0 scope: 3 invocation: 6 parameter: 32 } } }
      entry { op { graph: 0 index: 3 name: 0 gradient { names: 0 invocation: 7 parameter: 48 } } }
      entry { parameter_pointer { name: 1 address: 16 bytes: 8 captures: 1 } }
      entry { parameter_pointer { name: 2 address: 32 bytes: 8 captures: 1 } })");
  const auto& ops = process->graphs.at(0).ops;
  const auto key = [&](std::uint32_t index) {
    return ops.at(index).gradient_name + ' ' + std::to_string(ops.at(index).gradient_invocation);
  };
  EXPECT_EQ(key(0), "a 4");
  EXPECT_EQ(key(1), "step/b 0");
  EXPECT_EQ(key(2), "step/b 1");
  EXPECT_EQ(key(3), "AccumulateGrad 7");
}

TEST(ParametersTest, AGraphHasTheNamesThatWereKnownWhenItWasCaptured) {
  const auto process = BuildProcess(R"(
      entry { string { id: 0 text: "b" } }
      entry { string { id: 1 text: "a" } }
      entry { string { id: 2 text: "moved" } }
      entry { graph { id: 0 number: 0 version: 0 key: 0 capture: 0 } }
      entry { graph { id: 1 number: 1 version: 0 key: 0 capture: 4 } }
      entry { graph { id: 2 number: 2 version: 0 key: 0 } }
      entry { parameter_pointer { name: 0 address: 100 bytes: 8 captures: 3 time_ns: 7 } }
      entry { parameter_pointer { name: 1 address: 100 bytes: 4 captures: 3 time_ns: 7 } }
      entry { parameter_pointer { name: 2 address: 200 bytes: 8 captures: 5 time_ns: 8 } }
      entry { parameter_pointer { name: 0 address: 100 bytes: 8 captures: 6 gone: true time_ns: 9 } })");
  const auto at = [&](std::uint32_t graph, std::uint64_t address) {
    return Parameters(*process, process->graphs.at(graph)).At(address);
  };
  EXPECT_EQ(at(0, 100), "a") << "of the first reading, the first name";
  EXPECT_EQ(at(0, 104), "b") << "behind the end of the shorter one";
  EXPECT_EQ(at(0, 99), "");
  EXPECT_EQ(at(0, 108), "");
  EXPECT_EQ(at(0, 200), "");
  EXPECT_EQ(at(1, 207), "moved");
  EXPECT_EQ(at(1, 107), "b");
  EXPECT_EQ(at(2, 107), "") << "gone at the end";
  EXPECT_EQ(at(2, 103), "a");
}

// The parameter moves while nothing is captured; the second capture brings about no reading.
TEST(ParametersTest, WhatIsReadBetweenCapturesCountsForTheNextOne) {
  const auto process = BuildProcess(R"(
      entry { string { id: 0 text: "weight" } }
      entry { graph { id: 0 number: 0 version: 0 key: 0 capture: 0 } }
      entry { graph { id: 1 number: 1 version: 0 key: 0 capture: 1 } }
      entry { capture { number: 0 end_ns: 5 } }
      entry { capture { number: 1 end_ns: 15 } }
      entry { parameter_pointer { name: 0 address: 100 bytes: 8 captures: 1 time_ns: 6 } }
      entry { parameter_pointer { name: 0 address: 100 bytes: 8 gone: true time_ns: 10 } }
      entry { parameter_pointer { name: 0 address: 200 bytes: 8 time_ns: 10 } }
      entry { parameter_pointer { name: 0 address: 200 bytes: 8 gone: true time_ns: 20 } })");
  const auto at = [&](std::uint32_t graph, std::uint64_t address) {
    return Parameters(*process, process->graphs.at(graph)).At(address);
  };
  EXPECT_EQ(at(0, 100), "weight");
  EXPECT_EQ(at(0, 200), "");
  EXPECT_EQ(at(1, 100), "");
  EXPECT_EQ(at(1, 200), "weight");
}

TEST(ProcessBuilderTest, NodePathsFollowParentsAndBodies) {
  const auto process = BuildProcess(R"(
      entry { graph { id: 0 } }
      entry { node { graph: 0 index: 0 position: 20 } }
      entry { node { graph: 0 index: 1 parent: 0 position: 4 } }
      entry { node { graph: 0 index: 2 parent: 1 body: 1 position: 7 } }
      entry { node { graph: 0 index: 9 parent: 8 body: 0 position: 2 } })");
  const auto& nodes = process->graphs.at(0).nodes;
  EXPECT_EQ(nodes.at(0).path, "20");
  EXPECT_EQ(nodes.at(1).path, "20/4");
  EXPECT_EQ(nodes.at(2).path, "20/4.body1/7");
  EXPECT_EQ(nodes.at(3).path, "?.body0/2");
}

TEST(ProcessBuilderTest, RangesThatTouchAreOneSpan) {
  const auto process = BuildProcess(R"(
      entry { executable { number: 0 graph: 0 } }
      entry { replay_range { executable: 0 first: 11 last: 20 first_ns: 3000000000 last_ns: 4000000000 } }
      entry { replay_range { executable: 0 first: 1 last: 10 first_ns: 1000000000 last_ns: 2000000000 } }
      entry { replay { executable: 0 number: 21 time_ns: 6000000000 stream: 3 } }
      entry { replay_range { executable: 0 first: 24 last: 24 first_ns: 7000000000 last_ns: 7000000000 } })");
  const auto& executable = process->executables.at(0);
  ASSERT_EQ(executable.replays.size(), 2u);
  EXPECT_EQ(executable.replays[0].first, 1u);
  EXPECT_EQ(executable.replays[0].last, 21u);
  EXPECT_EQ(executable.replay_count(), 22u);
  EXPECT_EQ(executable.missing_replays(), 2u);
  EXPECT_EQ(executable.streams, std::vector<std::uint32_t>{3});
  EXPECT_DOUBLE_EQ(executable.rate().value(), 21 / 6.0);
}

TEST(ProcessBuilderTest, TheLastRecordOfACaptureAndTheLastCountOfALossAreValid) {
  const auto process = BuildProcess(R"(
      entry { capture { number: 4 outcome: OUTCOME_OPEN } }
      entry { loss { cause: 0 count: 3 } }
      entry { capture { number: 4 outcome: OUTCOME_GRAPH graph: 0 } }
      entry { loss { cause: 0 count: 8 } })");
  ASSERT_EQ(process->captures.size(), 1u);
  EXPECT_EQ(process->captures.at(4).record.outcome(), graphtap::Capture::OUTCOME_GRAPH);
  EXPECT_EQ(process->losses.at(0), 8u);
}

TEST(ProcessBuilderTest, ASuccessfulUpdateMovesAnExecutableToAnotherGraph) {
  const auto process = BuildProcess(R"(
      entry { graph { id: 0 number: 0 version: 0 } }
      entry { graph { id: 1 number: 1 version: 0 } }
      entry { graph { id: 2 number: 2 version: 0 } }
      entry { string { id: 0 text: "cuGraphExecUpdate" } }
      entry { executable { number: 0 graph: 0 } }
      entry { update { executable: 0 call: 0 graph: 1 result: 0 } }
      entry { update { executable: 0 call: 0 graph: 2 result: 910 } })");
  EXPECT_EQ(process->executables.at(0).graph->name, "g0.v0");
  EXPECT_EQ(process->executables.at(0).current->name, "g1.v0");
}

TEST(ProcessBuilderTest, HowItEndedIsInTheEndRecord) {
  EXPECT_EQ(BuildProcess("entry { end { how: HOW_EXIT exit_code: 3 } }")->ending.code, 3);
  EXPECT_EQ(BuildProcess("entry { string { id: 0 } }")->ending.how, Ending::How::kUnknown);
}

}  // namespace
}  // namespace graphtap::model
