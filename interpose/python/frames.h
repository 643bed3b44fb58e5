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

// Of a frame of Python; nullopt: it cannot be read, or has no code.
template <typename Memory>
std::optional<Frame> FrameAt(const Memory& memory, const Layout& layout, const void* code_type,
                             const void* frame) noexcept {
  std::uintptr_t executable = 0;
  if (!ReadAt(memory, frame, layout.frame_code, &executable)) return std::nullopt;
  const auto* code = reinterpret_cast<const void*>(executable & ~kReferenceBits);
  const void* type = nullptr;
  if (code == nullptr || !ReadAt(memory, code, kObjectType, &type) || type != code_type) {
    return std::nullopt;
  }
  const auto offset = OffsetIn(memory, layout, frame, code);
  return offset ? std::optional(Frame{code, *offset}) : std::nullopt;
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
  // Each frame of Python may have one of a C function around it, and the thread one of its own.
  for (std::size_t steps = 2 * to.size() + 1; frame != nullptr && steps > 0; --steps) {
    std::uint8_t owner = 0;
    if (layout.frame_owner && !ReadAt(memory, frame, *layout.frame_owner, &owner)) {
      return std::nullopt;
    }
    if (owner < kFirstForeignOwner) {
      if (walked.count == to.size()) break;
      const auto found = FrameAt(memory, layout, code_type, frame);
      if (!found) return std::nullopt;
      to[walked.count++] = *found;
    }
    if (!ReadAt(memory, frame, layout.frame_previous, &frame)) return std::nullopt;
  }
  walked.cut = frame != nullptr;
  return walked;
}

}  // namespace graphtap::python
