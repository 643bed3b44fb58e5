// What a helper thread may call while the job captures: each call, for each mode of the capture and
// each mode of the helper thread. It decides where graphtap must switch to the relaxed mode and
// where not.
#include <functional>
#include <thread>
#include <tuple>

#include "tests/rules/kernels.h"
#include "tests/rules/rules.h"

namespace rules {
namespace {

// Objects that the calls work on, made before the capture begins.
struct Helper {
  Helper() {
    Must(cuEventRecord(event, stream));
    Must(cuStreamSynchronize(stream));
    Must(cuMemHostAlloc(&host, Buffer::kCount * sizeof(int), 0));
    AddKernel(graph, {}, buffer, 1);
    exec = Instantiate(graph);
  }
  ~Helper() { cuMemFreeHost(host); }
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  OwnedStream stream = MakeStream();
  Event event = MakeEvent();
  Buffer buffer;
  void* host = nullptr;
  Graph graph = MakeGraph(), clone;
  Exec exec, second;
  CUdeviceptr memory = 0;
};

// Whether the call kills a global capture of another thread when its own thread is in the global
// mode.
enum class Effect { kHarmless, kKills };

struct HelperCall {
  const char* name;
  Effect effect;
  CUresult (*call)(Helper&);
};

constexpr HelperCall kCalls[] = {
    {"EventQuery", Effect::kKills, [](Helper& h) { return cuEventQuery(h.event); }},
    {"EventSynchronize", Effect::kKills, [](Helper& h) { return cuEventSynchronize(h.event); }},
    {"StreamQuery", Effect::kKills, [](Helper& h) { return cuStreamQuery(h.stream); }},
    {"StreamSynchronize", Effect::kKills, [](Helper& h) { return cuStreamSynchronize(h.stream); }},
    {"MemAlloc", Effect::kKills, [](Helper& h) { return cuMemAlloc(&h.memory, 1024); }},
    {"Instantiate", Effect::kKills,
     [](Helper& h) { return cuGraphInstantiate(h.second.Out(), h.graph, 0); }},
    {"Clone", Effect::kHarmless, [](Helper& h) { return cuGraphClone(h.clone.Out(), h.graph); }},
    {"GraphLaunch", Effect::kHarmless, [](Helper& h) { return cuGraphLaunch(h.exec, h.stream); }},
    {"GraphUpload", Effect::kHarmless, [](Helper& h) { return cuGraphUpload(h.exec, h.stream); }},
    {"ExecUpdate", Effect::kHarmless, [](Helper& h) { return Update(h.exec, h.graph); }},
    {"ExecSetParams", Effect::kHarmless,
     [](Helper& h) {
       const AddParameters two(h.buffer, 2);
       return cuGraphExecKernelNodeSetParams(h.exec, Nodes(h.graph).front(), two.get());
     }},
    {"EventRecord", Effect::kHarmless, [](Helper& h) { return cuEventRecord(h.event, h.stream); }},
    {"WaitEvent", Effect::kHarmless,
     [](Helper& h) { return cuStreamWaitEvent(h.stream, h.event, 0); }},
    {"CopyAsync", Effect::kHarmless,
     [](Helper& h) {
       return cuMemcpyDtoHAsync(h.host, h.buffer.address(), Buffer::kCount * sizeof(int), h.stream);
     }},
};

using Row = std::tuple<CUstreamCaptureMode, CUstreamCaptureMode, HelperCall>;

std::string RowName(const testing::TestParamInfo<Row>& row) {
  return std::string(std::get<2>(row.param).name) + "In" + ModeName(std::get<1>(row.param)) +
         "During" + ModeName(std::get<0>(row.param));
}

class OtherThreadRules : public RuleTest, public testing::WithParamInterface<Row> {
 protected:
  // The call's result, made on a thread of the row's mode.
  CUresult CallOnHelperThread(Helper& helper) {
    CUresult result = CUDA_ERROR_UNKNOWN;
    std::thread([&] {
      UsePrimaryContext();
      CUstreamCaptureMode mode = std::get<1>(GetParam());
      Must(cuThreadExchangeStreamCaptureMode(&mode));
      result = std::get<2>(GetParam()).call(helper);
    }).join();
    return result;
  }

  Buffer sums_;
};

TEST_P(OtherThreadRules, KillsTheCaptureOnlyWhereBothAreGlobalAndTheCallIsUnsafe) {
  const auto& [capture_mode, thread_mode, call] = GetParam();
  Helper helper;
  Graph graph;
  Must(cuStreamBeginCapture(stream_, capture_mode));
  LaunchAdd(stream_, sums_, 1);
  const CUresult result = CallOnHelperThread(helper);
  const CUresult ended = cuStreamEndCapture(stream_, graph.Out());
  if (call.effect == Effect::kKills && capture_mode == CU_STREAM_CAPTURE_MODE_GLOBAL &&
      thread_mode == CU_STREAM_CAPTURE_MODE_GLOBAL) {
    EXPECT_EQ(result, CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
    EXPECT_EQ(ended, CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  } else {
    EXPECT_EQ(result, CUDA_SUCCESS);
    EXPECT_EQ(ended, CUDA_SUCCESS);
  }
  if (helper.memory != 0) Must(cuMemFree(helper.memory));
}

INSTANTIATE_TEST_SUITE_P(Rows, OtherThreadRules,
                         testing::Combine(testing::Values(CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                          CU_STREAM_CAPTURE_MODE_RELAXED),
                                          testing::Values(CU_STREAM_CAPTURE_MODE_GLOBAL,
                                                          CU_STREAM_CAPTURE_MODE_THREAD_LOCAL,
                                                          CU_STREAM_CAPTURE_MODE_RELAXED),
                                          testing::ValuesIn(kCalls)),
                         RowName);

}  // namespace
}  // namespace rules
