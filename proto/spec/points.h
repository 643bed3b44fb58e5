// Points: at which named moments of a run memory is looked at: the grammar of docs/points.md as
// values. Owner: whoever parsed it. Threads: read-only, any. Failure: as specification.h. No units.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/spec/specification.h"

namespace graphtap::spec {

enum class PointKind : std::uint8_t {
  kNvtx,
  kCapture,
  kInstantiate,
  kReplay,
  kOutOfMemory,
  kSignal,
  kExit
};

struct Points {
  std::string text;               // as written
  std::vector<std::string> nvtx;  // globs of texts
  bool capture = false, instantiate = false, out_of_memory = false, signal = false, exit = false;
  Replays replays;  // of each executable

  // A mark or a range of this text is a point.
  bool MatchesText(std::string_view text) const noexcept;

  // Of what they mean: the texts may differ.
  bool operator==(const Points& other) const;
};

// As ParseSpecification.
std::optional<Points> ParsePoints(std::string_view text, std::string* error,
                                  Words words = Words::kSupported);

// The canonical text: parsed again it gives an equal value.
std::string Text(const Points& points);

}  // namespace graphtap::spec
