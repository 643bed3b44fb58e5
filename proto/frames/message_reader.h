// MessageReader: the messages of a run file in order, as the bytes of graphtap.Entry.
// Owner: the caller, who keeps the source alive. Threads: one. Failure: only another major version
// is an error; what is damaged is skipped and counted. May throw bad_alloc.
#pragma once

#include <string>
#include <string_view>

#include "proto/frames/byte_source.h"
#include "proto/frames/damage.h"
#include "proto/frames/frame_reader.h"

namespace graphtap::frames {

// Where a message is: `size` bytes at `position` of the payload of the frame at `frame` in the
// file.
struct Place {
  std::uint64_t frame = 0;
  std::uint32_t position = 0, size = 0;
};

class MessageReader {
 public:
  explicit MessageReader(const ByteSource& source, PayloadFrames payloads = PayloadFrames::kRead)
      : frames_(source, payloads) {}

  // `message` is valid until the next call.
  Found Next(std::string_view* message);

  // After kOtherVersion: which and where.
  std::string VersionText() const { return frames_.VersionText(); }

  // Of the message that Next() gave last.
  const Place& place() const { return place_; }

  // Complete once Next() has come to the end; without what only a parser of the messages can tell.
  Damage damage() const;

 private:
  bool NextInFrame(std::string_view* message);

  FrameReader frames_;
  Frame frame_;
  std::string_view rest_;  // of frame_.payload
  std::uint32_t messages_left_ = 0;
  Place place_;
  std::uint64_t unreadable_ = 0;  // messages inside intact frames
};

}  // namespace graphtap::frames
