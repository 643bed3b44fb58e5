#include "interpose/python/layout.h"

namespace graphtap::python {
namespace {

// By offsetof in the headers of 3.9.18, 3.10.13, 3.11.7, 3.12.1 and 3.13.0. A layout stays the same
// in the releases of one minor version; the self-test sees where it does not.
constexpr Layout kLayouts[] = {
    {.minor = 9,
     .state_frame = 24,
     .chain_frame = std::nullopt,
     .frame_code = 32,
     .frame_previous = 24,
     .frame_position = 104,
     .position = Position::kOffset,
     .frame_owner = std::nullopt,
     .code_first_line = 40,
     .code_file = 104,
     .code_function = 112,
     .code_lines = 120,
     .code_instructions = 0,
     .lines = LineTable::kStarts,
     .ascii_characters = 48,
     .other_characters = 72},
    {.minor = 10,
     .state_frame = 24,
     .chain_frame = std::nullopt,
     .frame_code = 32,
     .frame_previous = 24,
     .frame_position = 96,
     .position = Position::kUnits,
     .frame_owner = std::nullopt,
     .code_first_line = 40,
     .code_file = 104,
     .code_function = 112,
     .code_lines = 120,
     .code_instructions = 0,
     .lines = LineTable::kRanges,
     .ascii_characters = 48,
     .other_characters = 72},
    {.minor = 11,
     .state_frame = 56,
     .chain_frame = 8,
     .frame_code = 32,
     .frame_previous = 48,
     .frame_position = 56,
     .position = Position::kPointer,
     .frame_owner = 69,
     .code_first_line = 72,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 184,
     .lines = LineTable::kLocations,
     .ascii_characters = 48,
     .other_characters = 72},
    {.minor = 12,
     .state_frame = 56,
     .chain_frame = 0,
     .frame_code = 0,
     .frame_previous = 8,
     .frame_position = 56,
     .position = Position::kPointer,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 192,
     .lines = LineTable::kLocations,
     .ascii_characters = 40,
     .other_characters = 56},
    {.minor = 13,
     .state_frame = 72,
     .chain_frame = std::nullopt,
     .frame_code = 0,
     .frame_previous = 8,
     .frame_position = 56,
     .position = Position::kPointer,
     .frame_owner = 70,
     .code_first_line = 68,
     .code_file = 112,
     .code_function = 128,
     .code_lines = 136,
     .code_instructions = 200,
     .lines = LineTable::kLocations,
     .ascii_characters = 40,
     .other_characters = 56},
};

}  // namespace

const Layout* LayoutOf(unsigned minor) noexcept {
  for (const Layout& layout : kLayouts) {
    if (layout.minor == minor) return &layout;
  }
  return nullptr;
}

}  // namespace graphtap::python
