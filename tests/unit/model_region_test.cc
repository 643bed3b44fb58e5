// Which frames are those of compiled code, and what of the program is around them.
#include "analyzer/model/region.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analyzer/model/stack.h"

namespace graphtap::model {
namespace {

const std::string kTorch = "/opt/py/lib/python3.12/site-packages/torch/";
const std::string kName = "cl5zvuzfhzl5xfxcoriesbjozuuctwg5l65q47xwqxp6rrg76ov2";
const std::string kOutput = "/scratch/cache/l5/" + kName + ".py";

std::string CallerOf(const std::optional<Region>& region) {
  return region && region->caller != nullptr ? region->caller->Text() : "";
}
std::string FunctionOf(const std::optional<Region>& region) {
  return region && region->function != nullptr ? region->function->Text() : "";
}

// As torch 2.11 calls the code of a model, which a training loop calls.
std::vector<Frame> Forward() {
  return {
      {"<string>", "launcher", 5},
      {kTorch + "_inductor/runtime/triton_heuristics.py", "CachingAutotuner.run", 1300},
      {kOutput, "Runner.call", 108},
      {kTorch + "_inductor/output_code.py", "CompiledFxGraph.__call__", 656},
      {kTorch + "_functorch/_aot_autograd/runtime_wrappers.py", "CompiledFunction.forward", 2503},
      {kTorch + "autograd/function.py", "Function.apply", 596},
      {kTorch + "_functorch/aot_autograd.py", "aot_module_simplified.<locals>.forward", 1200},
      {kTorch + "_dynamo/eval_frame.py", "DisableContext.__call__.<locals>._fn", 1263},
      {"/home/u/net.py", "Net.forward", 29},
      {kTorch + "nn/modules/module.py", "Module._call_impl", 1790},
      {kTorch + "_dynamo/eval_frame.py", "compile_wrapper", 1024},
      {"/home/u/train.py", "main", 43}};
}

TEST(RegionTest, IsTheCodeThatInductorMade) {
  const auto frames = Forward();
  const auto region = RegionOf(frames);
  ASSERT_TRUE(region);
  EXPECT_EQ(region->name, kName);
  EXPECT_EQ(region->line, &frames[2]);
  EXPECT_EQ(FunctionOf(region), "/home/u/net.py:29 Net.forward");
  EXPECT_EQ(CallerOf(region), "/home/u/train.py:43 main");
}

TEST(RegionTest, IsInAFileOfThatFormAlone) {
  const std::string digits = kName.substr(1);
  for (const std::string& file :
       {"/tmp/l5/" + kName + ".cpp", "/tmp/5z/" + kName + ".py", "/tmp/l5/" + kName + "a.py",
        "/tmp/l5/d" + digits + ".py", "/tmp/l5/" + digits + ".py", kName + ".py",
        std::string(".py"), "/tmp/L5/cL5" + digits.substr(2) + ".py",
        "/tmp/l1/cl1" + digits.substr(2) + ".py"}) {
    EXPECT_FALSE(RegionOf(std::vector<Frame>{{file, "call", 1}})) << file;
  }
  EXPECT_TRUE(RegionOf(std::vector<Frame>{{"l5/" + kName + ".py", "call", 1}}));
}

TEST(RegionTest, TheCallerOfThePartsOfAFunctionCalledItsFirst) {
  auto frames = Forward();
  frames[8].function = "Net.torch_dynamo_resume_in_forward_at_33";
  frames.insert(frames.begin() + 9,
                {"/home/u/net.py", "Net.torch_dynamo_resume_in_forward_at_31", 31});
  frames.insert(frames.begin() + 10, {"/home/u/net.py", "Net.forward", 31});
  const auto region = RegionOf(frames);
  EXPECT_EQ(FunctionOf(region), "/home/u/net.py:29 Net.torch_dynamo_resume_in_forward_at_33");
  EXPECT_EQ(CallerOf(region), "/home/u/train.py:43 main");
}

TEST(RegionTest, AFunctionOfTheFrameworkMayBeCompiledToo) {
  auto frames = Forward();
  frames[8] = {kTorch + "optim/adam.py", "Adam.step", 213};
  frames[9] = {kTorch + "optim/optimizer.py", "wrapper", 493};
  EXPECT_EQ(FunctionOf(RegionOf(frames)), kTorch + "optim/adam.py:213 Adam.step");
  EXPECT_EQ(CallerOf(RegionOf(frames)), "/home/u/train.py:43 main");
}

TEST(RegionTest, ABackwardPassIsOfNoFunction) {
  const std::vector<Frame> frames = {
      {kOutput, "Runner.call", 102},
      {kTorch + "_inductor/output_code.py", "CompiledFxGraph.__call__", 656},
      {kTorch + "_dynamo/eval_frame.py", "DisableContext.__call__.<locals>._fn", 1263},
      {kTorch + "_functorch/_aot_autograd/runtime_wrappers.py", "CompiledFunction.backward", 2748},
      {kTorch + "autograd/function.py", "BackwardCFunction.apply", 317},
      {kTorch + "autograd/graph.py", "_engine_run_backward", 869},
      {kTorch + "_tensor.py", "Tensor.backward", 631},
      {"/home/u/train.py", "main", 46}};
  EXPECT_EQ(FunctionOf(RegionOf(frames)), "");
  EXPECT_EQ(CallerOf(RegionOf(frames)), "/home/u/train.py:46 main");
  // On a thread of the engine.
  const auto region = RegionOf(std::span(frames).first(5));
  ASSERT_TRUE(region);
  EXPECT_EQ(region->function, nullptr);
  EXPECT_EQ(region->caller, nullptr);
}

// An operator in compiled code may call compiled code itself, and so on.
TEST(RegionTest, TheInnermostCodeCounts) {
  auto frames = Forward();
  auto inner = Forward();
  inner[2].file = "/tmp/ht/chtducxpza6ied7ny6q6ghgl5hualycwa4rccrbqnj5r6jkrev4r.py";
  inner[8].function = "custom";
  frames.erase(frames.begin(), frames.begin() + 2);
  frames.insert(frames.begin(), inner.begin(), inner.begin() + 9);
  const auto region = RegionOf(frames);
  EXPECT_EQ(region->name.substr(0, 4), "chtd");
  EXPECT_EQ(FunctionOf(region), "/home/u/net.py:29 custom");
  EXPECT_EQ(CallerOf(region), "/home/u/net.py:29 Net.forward");
}

TEST(StackTest, WhatInductorLaunchesKernelsWithIsNoPlace) {
  Stack stack;
  stack.frames = Forward();
  EXPECT_EQ(stack.Place(), &stack.frames[2]);
  stack.frames.insert(stack.frames.begin(),
                      {"/opt/dist-packages/triton/backends/nvidia/driver.py", "__call__", 1});
  EXPECT_EQ(stack.Place(), &stack.frames[3]);
  stack.frames = {{"<string>", "main", 2}, {"/home/u/train.py", "main", 43}};
  EXPECT_EQ(stack.Place(), &stack.frames[0]);
}

}  // namespace
}  // namespace graphtap::model
