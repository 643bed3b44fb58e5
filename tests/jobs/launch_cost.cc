// What one launch call costs on the host: launch_cost [batches=2000] prints the medians, in ns, of
// cuGraphLaunch (a graph of one empty kernel) and cuLaunchKernel over batches of 32 launches, which
// never fill the queue. Driver API alone. Run it with and without graphtap, alternating.
#include <cuda.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace {

constexpr const char* kPtx = R"(.version 8.0
.target sm_75
.address_size 64
.visible .entry nothing()
{
  ret;
}
)";
constexpr int kBatch = 32;

void Check(CUresult result, const char* call) {
  if (result == CUDA_SUCCESS) return;
  std::fprintf(stderr, "launch_cost: %s: error %d\n", call, static_cast<int>(result));
  std::exit(1);
}
#define CHECK(call) Check((call), #call)

// The median over batches of the time of one call, in ns.
template <typename Launch>
double Median(long batches, CUstream stream, Launch launch) {
  std::vector<double> times;
  for (long i = 0; i < batches; ++i) {
    const auto start = std::chrono::steady_clock::now();
    for (int k = 0; k < kBatch; ++k) launch();
    const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - start;
    times.push_back(time.count() / kBatch);
    CHECK(cuStreamSynchronize(stream));
  }
  std::nth_element(times.begin(), times.begin() + static_cast<long>(times.size()) / 2, times.end());
  return times[times.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const long batches = argc > 1 ? std::max(1L, std::atol(argv[1])) : 2000;
  CUdevice device = 0;
  CUcontext context = nullptr;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUstream stream = nullptr;
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kPtx));
  CHECK(cuModuleGetFunction(&function, module, "nothing"));
  CHECK(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  const auto kernel = [&] {
    CHECK(cuLaunchKernel(function, 1, 1, 1, 1, 1, 1, 0, stream, nullptr, nullptr));
  };
  CHECK(cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL));
  kernel();
  CHECK(cuStreamEndCapture(stream, &graph));
  CHECK(cuGraphInstantiate(&executable, graph, 0));
  const auto replay = [&] { CHECK(cuGraphLaunch(executable, stream)); };
  Median(batches / 10 + 1, stream, replay);  // warm up
  const double graph_ns = Median(batches, stream, replay);
  const double kernel_ns = Median(batches, stream, kernel);
  std::printf("graph_launch_ns %.1f kernel_launch_ns %.1f\n", graph_ns, kernel_ns);
  CHECK(cuGraphExecDestroy(executable));
  CHECK(cuGraphDestroy(graph));
  CHECK(cuStreamDestroy(stream));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}
