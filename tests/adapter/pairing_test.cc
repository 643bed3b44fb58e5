// That each begin has its end on its thread, whatever happens in between.

#include <ATen/ATen.h>
#include <ATen/record_function.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <torch/library.h>

#include <memory>
#include <thread>

#include "tests/adapter/fake_host.h"

namespace graphtap::adapter_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

std::function<void()> in_kernel;

at::Tensor Same(const at::Tensor& tensor) {
  if (in_kernel) in_kernel();
  return tensor.view({-1});
}

TORCH_LIBRARY(graphtap_test, library) {
  library.def("same(Tensor x) -> Tensor");
  library.impl("same", c10::DispatchKey::CPU, TORCH_FN(Same));
}

c10::OperatorHandle FindOp(const char* name) {
  return c10::Dispatcher::singleton().findSchemaOrThrow(name, "");
}

// A leaf op, whose schema does not say that it gives a view.
at::Tensor CallSame(const at::Tensor& tensor) {
  return FindOp("graphtap_test::same").typed<at::Tensor(const at::Tensor&)>().call(tensor);
}

std::unique_ptr<at::RecordFunction> Range(const char* name) {
  auto range = std::make_unique<at::RecordFunction>(at::RecordScope::USER_SCOPE);
  range->before(name);
  return range;
}

std::vector<std::string> Names(const Watch& watch) {
  std::vector<std::string> names;
  for (const ToldOp& op : watch.Ops()) names.push_back(op.name);
  return names;
}

void ExpectAllEnded(const Watch& watch) {
  for (const ToldOp& op : watch.Ops()) EXPECT_TRUE(op.ended) << op.name;
  EXPECT_EQ(StrayEnds(), 0);
}

TEST(Pairing, AnOpThatThrowsEndsWithoutTensors) {
  const at::Tensor a = at::rand({2, 3});
  const Watch watch;
  EXPECT_ANY_THROW(at::bmm(a, a));
  EXPECT_ANY_THROW(at::linear(a, at::rand({2, 2})));
  EXPECT_ANY_THROW(a.add_(at::rand({5})));
  EXPECT_THAT(watch.Only("aten::bmm").tensors, IsEmpty());
  EXPECT_THAT(watch.Only("aten::mm").tensors, IsEmpty());
  EXPECT_THAT(watch.Only("aten::add_.Tensor").tensors, IsEmpty());
  ExpectAllEnded(watch);
  const at::Tensor sum = at::add(a, a);
  EXPECT_EQ(watch.Only("aten::add.Tensor").parent, -1);
}

TEST(Pairing, AnOpWhileAnExceptionIsInFlightIsAsAnyOther) {
  struct Cleanup {
    ~Cleanup() { at::rand({2}).mul_(2); }
  };
  const Watch watch;
  try {
    const Cleanup cleanup;
    throw std::runtime_error("x");
  } catch (const std::runtime_error&) {
  }
  EXPECT_THAT(watch.Only("aten::mul_.Scalar").tensors, SizeIs(1));
}

TEST(Pairing, AnOpThatIsOpenWhenTheWatchEndsIsToldToTheEnd) {
  const at::Tensor a = at::rand({2});
  Watch watch;
  in_kernel = [&] { watch.Stop(); };
  CallSame(a);
  in_kernel = nullptr;
  at::add(a, a);
  EXPECT_THAT(Names(watch), ElementsAre("graphtap_test::same"));
  ExpectAllEnded(watch);
}

TEST(Pairing, AnOpThatIsOpenWhenTheWatchBeginsIsNotTold) {
  const at::Tensor a = at::rand({2});
  {
    const Watch before;
  }
  std::unique_ptr<Watch> watch;
  in_kernel = [&] { watch = std::make_unique<Watch>(); };
  CallSame(a);
  in_kernel = nullptr;
  at::add(a, a);
  EXPECT_THAT(Names(*watch), ElementsAre("aten::view", "aten::add.Tensor"));
  ExpectAllEnded(*watch);
}

TEST(Pairing, TheWatchMayGoOffAndOnInsideAnOp) {
  const at::Tensor a = at::rand({2});
  const Watch watch;
  in_kernel = [&] {
    Adapter().watch_ops(0);
    at::mul(a, a);
    Adapter().watch_ops(1);
    at::sub(a, a);
  };
  CallSame(a);
  in_kernel = nullptr;
  EXPECT_THAT(Names(watch), ElementsAre("graphtap_test::same", "aten::sub.Tensor", "aten::view"));
  EXPECT_EQ(watch.Only("aten::sub.Tensor").kind, GRAPHTAP_OP_INNER);
  ExpectAllEnded(watch);
}

TEST(Pairing, RangesOfThePersonAreComposite) {
  const Watch watch;
  {
    const auto range = Range("my step");
    at::rand({2});
  }
  EXPECT_EQ(watch.Only("my step").kind, GRAPHTAP_OP_COMPOSITE);
  ExpectAllEnded(watch);
}

TEST(Pairing, ARangeThatEndsBeforeWhatItHoldsTakesItAlong) {
  const Watch watch;
  auto outer = Range("outer"), inner = Range("inner");
  outer.reset();
  ExpectAllEnded(watch);
  inner.reset();
  EXPECT_LT(watch.Only("inner").end_order, watch.Only("outer").end_order);
  at::rand({2});
  EXPECT_EQ(watch.Only("aten::rand").parent, -1);
  ExpectAllEnded(watch);
}

TEST(Pairing, ARangeThatEndsOnAnotherThreadIsToldOnItsOwn) {
  const Watch watch;
  auto range = Range("far");
  std::thread([&] { range.reset(); }).join();
  EXPECT_FALSE(watch.Only("far").ended);
  at::rand({2});
  EXPECT_TRUE(watch.Only("far").ended);
  EXPECT_EQ(watch.Only("aten::rand").parent, -1);
  ExpectAllEnded(watch);
}

TEST(Pairing, ARangeMayOutliveItsThread) {
  const Watch watch;
  std::unique_ptr<at::RecordFunction> range;
  std::thread([&] { range = Range("orphan"); }).join();
  std::thread([&] {
    range.reset();
    at::rand({2});
  }).join();
  EXPECT_EQ(watch.Only("aten::rand").parent, -1);
  EXPECT_EQ(StrayEnds(), 0);
}

TEST(Pairing, AsynchronousRangesAreLeftOut) {
  const Watch watch;
  {
    at::RecordFunction range(at::RecordScope::USER_SCOPE);
    range._setAsync();
    range.before("later");
    at::rand({2});
  }
  EXPECT_EQ(Names(watch)[0], "aten::rand");
}

TEST(Pairing, WhatTheHostCallsIsNotTold) {
  const at::Tensor a = at::rand({2});
  const Watch watch;
  SetInside([&] { at::mul(a, a); });
  at::add(a, a);
  SetInside(nullptr);
  EXPECT_THAT(Names(watch), ElementsAre("aten::add.Tensor"));
  ExpectAllEnded(watch);
}

TEST(Pairing, AViewThatTheSchemaDoesNotDeclareIsNoOutput) {
  const at::Tensor a = at::rand({2, 2});
  const Watch watch;
  CallSame(a);
  EXPECT_THAT(watch.Only("graphtap_test::same").tensors, IsEmpty());
}

TEST(Pairing, ABoxedCallMayHaveMoreOnItsStack) {
  const at::Tensor a = at::rand({2, 2}), other = at::rand({7});
  const Watch watch;
  torch::jit::Stack stack{other, other, a};
  FindOp("aten::relu_").callBoxed(&stack);
  stack.assign({other, 3, a});
  FindOp("aten::relu").callBoxed(&stack);
  const ToldOp written = watch.Only("aten::relu_"), made = watch.Only("aten::relu");
  ASSERT_THAT(written.tensors, SizeIs(1));
  EXPECT_EQ(written.tensors[0].told.index, 0u);
  EXPECT_EQ(written.tensors[0].sizes, (std::vector<std::int64_t>{2, 2}));
  ASSERT_THAT(made.tensors, SizeIs(1));
  EXPECT_EQ(made.tensors[0].told.index, 0u);
  EXPECT_EQ(made.tensors[0].sizes, (std::vector<std::int64_t>{2, 2}));
}

void ManyOps() {
  for (int i = 0; i < 300; ++i) {
    const at::Tensor a = at::rand({2, 3}), sum = at::add(a, a);
    sum.mul_(2);
    const at::Tensor product = at::linear(sum, at::rand({4, 3}));
    try {
      at::mm(a, a);
    } catch (const c10::Error&) {
    }
  }
}

TEST(Pairing, EachThreadHasItsOwnOrder) {
  const Watch watch;
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back(&ManyOps);
  for (std::thread& thread : threads) thread.join();
  const std::vector<ToldOp> ops = watch.Ops();
  int sums = 0;
  for (const ToldOp& op : ops) {
    if (op.parent >= 0) {
      EXPECT_EQ(ops[op.parent].thread, op.thread);
    }
    sums += op.name == "aten::add.Tensor" && op.tensors.size() == 1;
  }
  EXPECT_EQ(sums, 4 * 300);
  ExpectAllEnded(watch);
}

TEST(Pairing, TheWatchMayGoOnAndOffWhileThreadsRun) {
  const Watch watch;
  std::atomic<bool> done{false};
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) threads.emplace_back(&ManyOps);
  std::thread switcher([&] {
    for (int on = 0; !done; on = 1 - on) Adapter().watch_ops(on);
  });
  for (std::thread& thread : threads) thread.join();
  done = true;
  switcher.join();
  ExpectAllEnded(watch);
}

TEST(Opening, TellsTheFramework) {
  EXPECT_THAT(Adapter().framework, testing::StartsWith("torch 2."));
  EXPECT_EQ(Adapter().version, unsigned{GRAPHTAP_ADAPTER_VERSION});
}

TEST(Opening, RefusesAHostThatItDoesNotKnow) {
  GraphtapAdapter adapter{};
  adapter.size = sizeof(adapter);
  GraphtapHost host = Host();
  host.version = GRAPHTAP_ADAPTER_VERSION + 1;
  EXPECT_NE(Entry()(&host, &adapter), 0);
  host = Host();
  host.size = 8;
  EXPECT_NE(Entry()(&host, &adapter), 0);
  EXPECT_EQ(adapter.watch_ops, nullptr);
}

TEST(Opening, FillsInWhatThereIsRoomFor) {
  GraphtapAdapter adapter{};
  adapter.size = offsetof(GraphtapAdapter, watch_ops);
  EXPECT_EQ(Entry()(&Host(), &adapter), 0);
  EXPECT_NE(adapter.framework, nullptr);
  EXPECT_EQ(adapter.watch_ops, nullptr);
}

}  // namespace
}  // namespace graphtap::adapter_test
