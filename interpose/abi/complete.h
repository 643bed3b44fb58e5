// Complete: a structure of the other side, which may have been built on another day: what it does
// not have is zero. Pure function, any thread, no failure. Units: bytes.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>

namespace graphtap::abi {

template <typename Structure>
Structure Complete(const Structure* given, std::uint32_t size) {
  Structure complete{};
  std::memcpy(&complete, given, std::min<std::size_t>(size, sizeof(Structure)));
  return complete;
}

}  // namespace graphtap::abi
