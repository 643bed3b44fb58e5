// The hash of a site's bytes, written as its definition reads, to compare recorded hashes with.
// Owner: nobody. Threads: any. Failure: none. Units: bytes.
#pragma once

#include <cstdint>
#include <cstring>
#include <vector>

namespace jobs {

__extension__ using Wide = unsigned __int128;

inline std::uint64_t ReferenceHash(const std::vector<unsigned char>& bytes) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < bytes.size(); at += 16) {
    std::uint64_t half[2] = {0, 0};
    std::memcpy(half, &bytes[at], bytes.size() - at < 16 ? bytes.size() - at : 16);
    const std::uint64_t k = at / 16 * 0x9E3779B97F4A7C15;
    const auto product = static_cast<Wide>(half[0] ^ (0x243F6A8885A308D3 + k)) *
                         (half[1] ^ (0x13198A2E03707344 - k));
    sum += static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }
  std::uint64_t x = sum + bytes.size() * 0xD1B54A32D192ED03;
  x = (x ^ x >> 33) * 0xff51afd7ed558ccd;
  x = (x ^ x >> 33) * 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

}  // namespace jobs
