// Recorded file: a .gtap file as a test sees it, read without any of the project's own code but
// proto/. Unlike the analyzer's reader it forgives nothing: whatever is not as
// proto/frame_format.h says is an exception. Owner: the caller. Threads: values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/frame_format.h"
#include "proto/trace.pb.h"

namespace graphtap {

struct RecordedFrame {
  FrameKind kind = FrameKind::kEnd;
  bool raw = false;
  std::uint32_t count = 0;
  std::uint64_t sequence = 0;
  std::uint64_t first_number = 0;
  std::string stored;
  std::string payload;  // decompressed
  std::vector<Entry> entries;
};

struct RecordedFile {
  std::vector<RecordedFrame> frames;
  std::uint64_t unfinished_bytes = 0;  // of a last frame that is cut short

  std::vector<Entry> Entries(FrameKind kind) const;
};

// Throws std::runtime_error.
RecordedFile ReadRecordedFile(const std::string& path);

// The one .gtap file in a folder. Throws std::runtime_error if there is not exactly one.
std::string OnlyFileIn(const std::string& folder);

// One message of a frame, the length in front included. Throws std::runtime_error.
Entry DecodeMessage(const std::string& delimited);

}  // namespace graphtap
