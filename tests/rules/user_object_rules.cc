// Whose user objects an executable keeps alive once another graph was put into it.
#include <atomic>
#include <chrono>
#include <thread>

#include "tests/rules/rules.h"

namespace rules {
namespace {

class UserObjectRules : public RuleTest {
 protected:
  UserObjectRules() { destroyed_ = 0; }

  // A graph of one kernel that holds a user object.
  Graph GraphWithObject(int value) {
    Graph graph = MakeGraph();
    AddKernel(graph, {}, sums_, value);
    CUuserObject object = nullptr;
    Must(cuUserObjectCreate(
        &object, nullptr, [](void*) { ++destroyed_; }, 1, CU_USER_OBJECT_NO_DESTRUCTOR_SYNC));
    Must(cuGraphRetainUserObject(graph, object, 1, CU_GRAPH_USER_OBJECT_MOVE));
    return graph;
  }

  // How many objects were destroyed once `count` of them are, or after a time that is plenty.
  static int Destroyed(int count, std::chrono::milliseconds limit) {
    const auto deadline = std::chrono::steady_clock::now() + limit;
    while (destroyed_ < count && std::chrono::steady_clock::now() < deadline) {
      Must(cuCtxSynchronize());
      std::this_thread::yield();
    }
    return destroyed_;
  }

  static constexpr std::chrono::milliseconds kPlenty{10'000}, kShort{200};
  static inline std::atomic<int> destroyed_;
  Buffer sums_;
};

TEST_F(UserObjectRules, AnUpdateLetsGoOfTheObjectsOfTheGraphBefore) {
  Graph first = GraphWithObject(1), second = MakeGraph();
  AddKernel(second, {}, sums_, 2);
  const Exec exec = Instantiate(first);
  Replay(exec, stream_);
  first.Reset();
  EXPECT_EQ(Destroyed(1, kShort), 0);
  Must(Update(exec, second));
  EXPECT_EQ(Destroyed(1, kPlenty), 1);
}

TEST_F(UserObjectRules, AnUpdateTakesTheObjectsOfTheIncomingGraph) {
  Graph first = MakeGraph(), second = GraphWithObject(2);
  AddKernel(first, {}, sums_, 1);
  Exec exec = Instantiate(first);
  Must(Update(exec, second));
  second.Reset();
  Replay(exec, stream_);
  EXPECT_EQ(Destroyed(1, kShort), 0);
  exec.Reset();
  EXPECT_EQ(Destroyed(1, kPlenty), 1);
}

}  // namespace
}  // namespace rules
