// EntryReader: the messages of a run file in order, as proto/trace.proto's Entry.
// Owner: the caller, who keeps the source alive. Threads: one.
// Failure: only another major version is an error; messages that are damaged, unreadable or of an
// unknown kind are skipped and counted.
#pragma once

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "analyzer/reader/byte_source.h"
#include "proto/frames/message_reader.h"
#include "proto/trace.pb.h"

namespace graphtap::reader {

using frames::Damage;
using frames::PayloadFrames;
using frames::Place;

class EntryReader {
 public:
  explicit EntryReader(const ByteSource& source, PayloadFrames payloads = PayloadFrames::kRead)
      : messages_(source, payloads) {}

  // The next message that this version knows: true. At the end: false; once the source has grown,
  // again true. FailedPrecondition: the file has another major version; the message says which and
  // where.
  absl::StatusOr<bool> Next(Entry* entry);

  // Of the message that Next() gave last.
  const Place& place() const { return messages_.place(); }

  // Complete once Next() has returned false.
  Damage damage() const;

 private:
  frames::MessageReader messages_;
  Damage counted_;  // what is found inside the messages
};

}  // namespace graphtap::reader
