// Images of bench_kernels.cu. Owner: static data. Threads: any. Failure: none. Units: none.
#pragma once

#include <span>

#include "interpose/probe/kernels/images.h"

namespace graphtap::probe {

std::span<const Image> BenchImages();

}  // namespace graphtap::probe
