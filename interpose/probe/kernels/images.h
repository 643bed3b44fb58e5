// Images of the probe kernels: machine code for the GPUs that were there when graphtap was built,
// and PTX, which drivers from 525 on compile for any later one. Made at build time and part of the
// library. Owner: static data. Threads: any. Failure: none. Units: bytes.
#pragma once

#include <cstddef>
#include <span>

namespace graphtap::probe {

struct Image {
  int capability = 0;                // ten times the major number, and the minor one; 0: PTX
  std::span<const std::byte> bytes;  // the PTX ends with its zero byte
};

// All that were made; the PTX comes last.
std::span<const Image> AllImages();

// The one of `images` to load on a GPU of this compute capability: its own machine code, else the
// PTX. Not the machine code of a smaller minor number: GPUs between those that have their own are
// integrated ones, which do not run the code of others.
std::span<const std::byte> Select(std::span<const Image> images, int major, int minor);

// Of AllImages().
std::span<const std::byte> ImageFor(int major, int minor);

}  // namespace graphtap::probe
