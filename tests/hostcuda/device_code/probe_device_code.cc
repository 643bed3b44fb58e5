// Twins that are the device code itself, compiled as C++: what a GPU does, thread by thread.
#include "tests/hostcuda/device_code/cpu_device.h"
// After it: device code without a header of its own.
#include "interpose/probe/kernels/probe.cu"
#include "tests/hostcuda/twin.h"

namespace graphtap::probe {
namespace {

using hostcuda::Grid;

template <auto kKernel, typename Arguments>
void Run(const Grid& grid, Arguments arguments) {
  for (unsigned block = 0; block < grid.grid.x; ++block) {
    device_code::RunBlock(block, [&arguments] { kKernel(arguments); });
  }
}

void Head(const Grid&, HeadArguments arguments) { graphtap_head(arguments); }

const hostcuda::Twin head("graphtap_head", &Head);
const hostcuda::Twin hash("graphtap_hash", &Run<graphtap_hash, ProbeArguments>);
const hostcuda::Twin digest("graphtap_digest", &Run<graphtap_digest, ProbeArguments>);
const hostcuda::Twin strided("graphtap_strided", &Run<graphtap_strided, StridedArguments>);

}  // namespace
}  // namespace graphtap::probe
