#include "interpose/probe/kernels/images.h"

#include <algorithm>

namespace graphtap::probe {

std::span<const std::byte> Select(std::span<const Image> images, int major, int minor) {
  const int capability = minor < 10 ? 10 * major + minor : 0;
  const auto exact = std::ranges::find(images, capability, &Image::capability);
  return exact == images.end() ? images.back().bytes : exact->bytes;
}

std::span<const std::byte> ImageFor(int major, int minor) {
  return Select(AllImages(), major, minor);
}

}  // namespace graphtap::probe
