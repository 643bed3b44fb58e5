// EntryReader: the messages of a run file in order, as proto/trace.proto's Entry.
// Owner: the caller, who keeps the source alive. Threads: one.
// Failure: only another major version is an error; messages that are damaged, unreadable or of an
// unknown kind are skipped and counted.
#pragma once

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/damage.h"
#include "analyzer/reader/frame_reader.h"
#include "proto/trace.pb.h"

namespace graphtap::reader {

// Where a message is: `size` bytes at `position` of the payload of the frame at `frame` in the
// file.
struct Place {
  std::uint64_t frame = 0;
  std::uint32_t position = 0, size = 0;
};

class EntryReader {
 public:
  explicit EntryReader(const ByteSource& source, PayloadFrames payloads = PayloadFrames::kRead)
      : frames_(source, payloads) {}

  // The next message that this version knows: true. At the end: false; once the source has grown,
  // again true. Errors as FrameReader.
  absl::StatusOr<bool> Next(Entry* entry);

  // Of the message that Next() gave last.
  const Place& place() const { return place_; }

  // Complete once Next() has returned false.
  Damage damage() const;

 private:
  bool NextInFrame(Entry* entry);

  FrameReader frames_;
  Frame frame_;
  std::string_view rest_;  // of frame_.payload
  std::uint32_t messages_left_ = 0;
  Place place_;
  Damage counted_;  // what is found inside intact frames
};

}  // namespace graphtap::reader
