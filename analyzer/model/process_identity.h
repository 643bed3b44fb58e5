// ProcessIdentity: what a process of a run is known by, and how it ended. Owner: the Process.
// Threads: values. Failure: none. No units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "proto/trace.pb.h"

namespace graphtap::model {

// Identity across runs: contracts of docs/format.md.
struct ProcessKey {
  std::optional<std::uint32_t> rank;
  std::string program;
  std::uint32_t ordinal = 0;  // among the processes of this rank and program, by start

  std::string Text() const;  // "rank 0/train/0", "train/0"
};

struct Ending {
  // kReplaced: by exec; the program that it became has a process of its own.
  enum class How { kUnknown, kExited, kSignaled, kRunning, kReplaced };
  How how = How::kUnknown;
  int code = 0;              // exit code or signal number
  bool by_launcher = false;  // the process itself left no end record
};

// As the process itself says it; an exec that failed says nothing.
Ending EndingOf(const graphtap::End& end);

}  // namespace graphtap::model
