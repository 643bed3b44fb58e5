// CPU twins of the kernels in python_regions.py, which do nothing.
#include "tests/hostcuda/twin.h"

namespace {

void Nothing(const hostcuda::Grid&, float*) {}

const hostcuda::Twin kPointwise("triton_poi_fused_0", &Nothing);
const hostcuda::Twin kReduction("triton_red_fused_1", &Nothing);

}  // namespace
