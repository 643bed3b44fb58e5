#include "interpose/python/text.h"

#include <cstring>

namespace graphtap::python {
namespace {

void Append(std::uint32_t character, std::string* text) {
  constexpr std::uint32_t kFirstEscape = 0xdc80, kLastEscape = 0xdcff;
  const auto add = [&](std::uint32_t byte) { text->push_back(static_cast<char>(byte)); };
  const auto rest = [&](unsigned shift) { add(0x80 | ((character >> shift) & 0x3f)); };
  if (character < 0x80) {
    add(character);
  } else if (character >= kFirstEscape && character <= kLastEscape) {
    add(character & 0xff);
  } else if (character < 0x800) {
    add(0xc0 | (character >> 6)), rest(0);
  } else if (character < 0x10000) {
    add(0xe0 | (character >> 12)), rest(6), rest(0);
  } else {
    add(0xf0 | (character >> 18)), rest(12), rest(6), rest(0);
  }
}

}  // namespace

std::string Utf8(std::string_view raw, std::uint8_t width) {
  std::string text;
  for (std::size_t at = 0; at + width <= raw.size(); at += width) {
    std::uint32_t character = 0;  // little-endian, as the machine is
    std::memcpy(&character, raw.data() + at, width);
    Append(character, &text);
  }
  return text;
}

}  // namespace graphtap::python
