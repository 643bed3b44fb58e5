// Text: the characters of CPython's texts and byte strings, where they lie. Owner: the interpreter
// has the objects; who asks holds what keeps them. Threads: any. Failure: nullopt: the object is of
// another kind, or cannot be read. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "interpose/python/layout.h"
#include "interpose/python/memory.h"

namespace graphtap::python {

struct TextView {
  const char* data = nullptr;
  std::size_t bytes = 0;
  std::uint8_t width = 1;  // of a character: 1, 2 or 4
  bool ascii = false;

  std::string_view raw() const { return {data, bytes}; }
};

inline constexpr std::int64_t kLongestText = 1 << 20;

template <typename Memory>
std::optional<TextView> ViewText(const Memory& memory, const Layout& layout,
                                 const void* text) noexcept {
  constexpr std::uint32_t kWidth = 7u << 2, kCompact = 1u << 5, kAscii = 1u << 6;
  std::int64_t length = 0;
  std::uint32_t state = 0;
  if (text == nullptr || !ReadAt(memory, text, kTextLength, &length) ||
      !ReadAt(memory, text, kTextState, &state)) {
    return std::nullopt;
  }
  const auto width = static_cast<std::uint8_t>((state & kWidth) >> 2);
  const bool known = width == 1 || width == 2 || width == 4;
  if ((state & kCompact) == 0 || !known || length < 0 || length > kLongestText) return std::nullopt;
  const bool ascii = (state & kAscii) != 0;
  return TextView{
      static_cast<const char*>(text) + (ascii ? layout.ascii_characters : layout.other_characters),
      static_cast<std::size_t>(length) * width, width, ascii};
}

template <typename Memory>
std::optional<std::string_view> ViewBytes(const Memory& memory, const void* bytes) noexcept {
  std::int64_t length = 0;
  if (bytes == nullptr || !ReadAt(memory, bytes, kBytesLength, &length)) return std::nullopt;
  if (length < 0 || length > kLongestText) return std::nullopt;
  return std::string_view(static_cast<const char*>(bytes) + kBytesData,
                          static_cast<std::size_t>(length));
}

// A copy of what a view shows.
template <typename Memory>
bool Copy(const Memory& memory, std::string_view from, std::string* to) {
  to->resize(from.size());
  return memory.Read(from.data(), to->data(), from.size());
}

// Characters of `width` bytes as UTF-8. What stands for a byte that was none in a name of the file
// system (surrogateescape) is that byte again.
std::string Utf8(std::string_view raw, std::uint8_t width);

}  // namespace graphtap::python
