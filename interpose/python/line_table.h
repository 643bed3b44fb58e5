// Line table: which line of its file an instruction of a CPython code object belongs to.
// Pure function, any thread. Failure: nullopt: the instruction is of no line, or behind the table.
// Units: bytes, lines.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace graphtap::python {

enum class LineTable : std::uint8_t {
  kStarts,     // co_lnotab of 3.9: where lines begin
  kRanges,     // co_linetable of 3.10: how long each line is
  kLocations,  // co_linetable from 3.11 on: with columns
};

// `offset`: of the instruction; before the first one: the first line.
std::optional<std::int32_t> LineAt(LineTable kind, std::string_view table, std::int32_t first_line,
                                   std::int32_t offset) noexcept;

}  // namespace graphtap::python
