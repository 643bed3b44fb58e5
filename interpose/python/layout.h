// Layout: where CPython keeps what a stack is made of, for each minor version: a thread's frames,
// the code of each, its names and its table of lines. Constants of 64-bit builds with a GIL.
// Threads: any. Failure: nullptr: the version is not known. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "interpose/python/line_table.h"

namespace graphtap::python {

// How a frame says where it is in its code.
enum class Position : std::uint8_t {
  kOffset,   // a number: bytes
  kUnits,    // a number: instructions of two bytes
  kPointer,  // the address of the instruction
};

struct Layout {
  unsigned minor;  // of 3
  // In the state of a thread: its innermost frame, or, where `chain_frame` is set, a structure that
  // has that.
  std::size_t state_frame;
  std::optional<std::size_t> chain_frame;
  // In a frame. `frame_code` is a pointer whose lowest bits may be set.
  std::size_t frame_code, frame_previous, frame_position;
  Position position;
  std::optional<std::size_t> frame_owner;
  // In a code object.
  std::size_t code_first_line, code_file, code_function, code_lines, code_instructions;
  LineTable lines;
  // In a text: where its characters begin if all are ASCII, and if not.
  std::size_t ascii_characters, other_characters;
};

// Frames of this owner and of higher ones are C functions that run Python.
inline constexpr std::uint8_t kFirstForeignOwner = 3;
// Of a pointer in a frame, from 3.14 on: how its reference is counted.
inline constexpr std::uintptr_t kReferenceBits = 3;

// The same in all versions.
inline constexpr std::size_t kObjectType = 8;
inline constexpr std::size_t kTypeName = 24;
inline constexpr std::size_t kStateInterpreter = 16;
inline constexpr std::size_t kTextLength = 16, kTextState = 32;
inline constexpr std::size_t kBytesLength = 16, kBytesData = 32;

// Of 3.<minor>.
const Layout* LayoutOf(unsigned minor) noexcept;

}  // namespace graphtap::python
