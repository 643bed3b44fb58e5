// Frame builder: frames whose checks are right, whatever they say: random bytes would end at the
// first check. Pure function, any thread, no failure. Units: bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace graphtap::fuzz {

struct FrameContent {
  std::uint8_t major = 1, kind = 0, flags = 0;
  std::uint32_t count = 0, raw_length = 0;
  std::uint64_t sequence = 0, first_number = 0;
  std::uint32_t longer = 0;  // by so much the header says more than there is stored
  std::string_view stored;
};

std::string BuildFrame(const FrameContent& content);

}  // namespace graphtap::fuzz
