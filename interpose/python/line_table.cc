#include "interpose/python/line_table.h"

#include <cstddef>

namespace graphtap::python {
namespace {

std::uint8_t Byte(std::string_view table, std::size_t at) {
  return at < table.size() ? static_cast<std::uint8_t>(table[at]) : 0;
}

std::int32_t SignedByte(std::string_view table, std::size_t at) {
  return static_cast<std::int8_t>(Byte(table, at));
}

// Pairs: how many bytes of instructions until the line grows, and by how much.
std::int32_t InStarts(std::string_view table, std::int32_t line, std::int32_t offset) {
  std::int32_t address = 0;
  for (std::size_t at = 0; at + 1 < table.size(); at += 2) {
    address += Byte(table, at);
    if (address > offset) break;
    line += SignedByte(table, at + 1);
  }
  return line;
}

// Pairs: how many bytes of instructions, and by how much their line differs from the one before.
std::optional<std::int32_t> InRanges(std::string_view table, std::int32_t line,
                                     std::int32_t offset) {
  constexpr std::int32_t kNoLine = -128;
  std::int32_t end = 0;
  for (std::size_t at = 0; at + 1 < table.size(); at += 2) {
    const std::int32_t step = SignedByte(table, at + 1);
    end += Byte(table, at);
    if (step != kNoLine) line += step;
    if (end > offset) return step == kNoLine ? std::nullopt : std::optional(line);
  }
  return std::nullopt;
}

// Six bits a byte, the lowest first; bit 6 says that more follow; the lowest bit of all is the
// sign.
std::int32_t SignedNumber(std::string_view table, std::size_t at) {
  constexpr unsigned kMost = 30;
  std::uint32_t value = 0;
  for (unsigned shift = 0; shift <= kMost; shift += 6, ++at) {
    value |= (Byte(table, at) & 63u) << shift;
    if ((Byte(table, at) & 64u) == 0) break;
  }
  const auto magnitude = static_cast<std::int32_t>(value >> 1);
  return (value & 1) != 0 ? -magnitude : magnitude;
}

// By how much the line of the entry at `at` differs from the one before.
std::int32_t StepOf(std::string_view table, std::size_t at, unsigned code) {
  constexpr unsigned kOneLine = 10, kNoColumns = 13, kLong = 14;
  if (code == kNoColumns || code == kLong) return SignedNumber(table, at + 1);
  return code >= kOneLine && code < kNoColumns ? static_cast<std::int32_t>(code - kOneLine) : 0;
}

// Entries that begin with a byte of which bit 7 is set: three bits say how many instructions, less
// one, four bits which kind.
std::optional<std::int32_t> InLocations(std::string_view table, std::int32_t line,
                                        std::int32_t offset) {
  constexpr unsigned kNone = 15;
  std::int32_t end = 0;
  for (std::size_t at = 0; at < table.size();) {
    const std::uint8_t first = Byte(table, at);
    const unsigned code = (first >> 3) & 15u;
    end += 2 * ((first & 7) + 1);
    if (code != kNone) line += StepOf(table, at, code);
    if (end > offset) return code == kNone ? std::nullopt : std::optional(line);
    do ++at;
    while (at < table.size() && (Byte(table, at) & 128u) == 0);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::int32_t> LineAt(LineTable kind, std::string_view table, std::int32_t first_line,
                                   std::int32_t offset) noexcept {
  if (offset < 0) return first_line;
  switch (kind) {
    case LineTable::kStarts:
      return InStarts(table, first_line, offset);
    case LineTable::kRanges:
      return InRanges(table, first_line, offset);
    default:
      return InLocations(table, first_line, offset);
  }
}

}  // namespace graphtap::python
