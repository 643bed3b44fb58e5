// Contents of graphs are encoded once, and known by their fingerprint before and after.
#include "interpose/record/graph_contents.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/contents.h"

namespace graphtap::record {
namespace {

Node Numbered(std::uint32_t index) {
  Node node;
  node.index = index;
  return node;
}

Op Named(std::uint32_t name) {
  Op op;
  op.name = StringId{name};
  return op;
}

std::vector<std::string> Messages(GraphContents& contents, std::uint32_t graph) {
  std::vector<std::string> messages;
  contents.TakeMessages(GraphId{graph},
                        [&](std::string_view message) { messages.emplace_back(message); });
  return messages;
}

TEST(GraphContentsTest, MessagesAreTakenOnceAndTheFingerprintStays) {
  const auto contents = Contents({Numbered(0), Numbered(1)}, {Named(2)});
  EXPECT_EQ(contents->count(), 3u);
  const auto before = contents->Fingerprint();
  EXPECT_EQ(Messages(*contents, 7).size(), 3u);
  EXPECT_TRUE(Messages(*contents, 7).empty());
  EXPECT_EQ(contents->Fingerprint(), before);
}

TEST(GraphContentsTest, TheNumberOfTheGraphIsNoPartOfTheFingerprint) {
  const auto one = Contents({Numbered(0)}, {Named(2)}), other = Contents({Numbered(0)}, {Named(2)});
  EXPECT_NE(Messages(*one, 7), Messages(*other, 300));
  EXPECT_EQ(one->Fingerprint(), other->Fingerprint());
}

TEST(GraphContentsTest, AnotherNodeOrOperatorGivesAnotherFingerprint) {
  const auto of = [](std::uint32_t node, std::uint32_t name) {
    return Contents({Numbered(node)}, {Named(name)})->Fingerprint();
  };
  EXPECT_EQ(of(0, 2), of(0, 2));
  EXPECT_NE(of(0, 2), of(1, 2));
  EXPECT_NE(of(0, 2), of(0, 3));
  EXPECT_NE(Contents({Numbered(0)})->Fingerprint(), of(0, 2));
}

// They wait in memory as what they are, not as what they become.
TEST(GraphContentsTest, TheMemoryCountsWhatNodesHold) {
  Node node;
  const auto bare = Contents({node})->bytes();
  node.parameters.operands.resize(3);
  const auto with_operands = Contents({node})->bytes();
  EXPECT_EQ(with_operands, bare + 3 * sizeof(Operand));
  node.parameters.kernel.emplace().scalars = {{.bytes = std::vector<std::byte>(200), .size = 200}};
  EXPECT_EQ(Contents({node})->bytes(), with_operands + sizeof(Scalar) + 200);
}

}  // namespace
}  // namespace graphtap::record
