// Damage: what a reader could not read of a run file, and what it read but does not know.
// A value; no threads, no failure. Units: bytes, else counts.
#pragma once

#include <cstdint>

namespace graphtap::frames {

struct Damage {
  std::uint64_t places = 0;               // stretches of the file that are no intact frame
  std::uint64_t bytes = 0;                // in them
  std::uint64_t frames = 0;               // missing, at least: gaps in the frames' sequence
  std::uint64_t messages = 0;             // missing: gaps in the first numbers of the frames
  std::uint64_t unreadable_messages = 0;  // in intact frames, but not valid messages

  std::uint64_t unfinished_bytes = 0;  // a last frame that is not complete: not damage

  // Written by a newer version; skipped.
  std::uint64_t unknown_frames = 0;
  std::uint64_t unknown_entries = 0;
  std::uint64_t unknown_fields = 0;

  bool damaged() const { return places + frames + messages + unreadable_messages > 0; }
};

}  // namespace graphtap::frames
