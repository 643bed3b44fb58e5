// Frames: which code a thread's frames run, and where in it, read without the GIL. A thread's own
// frames stay as they are while it runs a C function. Owner: the interpreter. Threads: of the own
// thread only. Failure: nullopt: something cannot be read. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "interpose/python/layout.h"
#include "interpose/python/memory.h"

namespace graphtap::python {

struct Frame {
  const void* code = nullptr;
  std::int32_t offset = 0;  // of the instruction; negative: before the first
};

struct Walked {
  std::size_t count = 0;
  bool cut = false;  // there are more frames
};

template <typename Memory>
std::optional<std::int32_t> OffsetIn(const Memory& memory, const Layout& layout, const void* frame,
                                     const void* code) noexcept {
  if (layout.position == Position::kPointer) {
    const std::byte* at = nullptr;
    if (!ReadAt(memory, frame, layout.frame_position, &at)) return std::nullopt;
    const auto* first = static_cast<const std::byte*>(code) + layout.code_instructions;
    return static_cast<std::int32_t>(at - first);
  }
  std::int32_t number = 0;
  if (!ReadAt(memory, frame, layout.frame_position, &number)) return std::nullopt;
  return layout.position == Position::kUnits ? number * 2 : number;
}

// The innermost first, as many as there is room for. `code_type`: the type of code objects.
template <typename Memory>
std::optional<Walked> Walk(const Memory& memory, const Layout& layout, const void* code_type,
                           const void* state, std::span<Frame> to) noexcept {
  const void* frame = nullptr;
  if (!ReadAt(memory, state, layout.state_frame, &frame)) return std::nullopt;
  if (layout.chain_frame && frame != nullptr &&
      !ReadAt(memory, frame, *layout.chain_frame, &frame)) {
    return std::nullopt;
  }
  Walked walked;
  // Between frames of Python there may be those of C functions, as many at the most.
  for (std::size_t steps = 0; frame != nullptr && steps < 2 * to.size(); ++steps) {
    if (walked.count == to.size()) break;
    std::uint8_t owner = 0;
    const void *code = nullptr, *type = nullptr;
    if (layout.frame_owner && !ReadAt(memory, frame, *layout.frame_owner, &owner)) {
      return std::nullopt;
    }
    if (owner != kForeignOwner) {
      if (!ReadAt(memory, frame, layout.frame_code, &code) ||
          !ReadAt(memory, code, kObjectType, &type) || type != code_type) {
        return std::nullopt;
      }
      const auto offset = OffsetIn(memory, layout, frame, code);
      if (!offset) return std::nullopt;
      to[walked.count++] = {code, *offset};
    }
    if (!ReadAt(memory, frame, layout.frame_previous, &frame)) return std::nullopt;
  }
  walked.cut = frame != nullptr;
  return walked;
}

}  // namespace graphtap::python
