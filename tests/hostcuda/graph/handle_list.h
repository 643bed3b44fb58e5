// How the driver fills a caller's array: as many entries as fit, the rest null. Owner: the caller's
// array. Threads: any. Failure: none. Units: entries.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

namespace hostcuda {

// Writes `all` to `out`, which has room for `room` entries; what is over becomes zero.
template <typename Entry>
void WriteList(std::span<const Entry> all, Entry* out, std::size_t room) {
  std::size_t written = std::min(all.size(), room);
  std::copy_n(all.begin(), written, out);
  std::fill(out + written, out + room, Entry{});
}

}  // namespace hostcuda
