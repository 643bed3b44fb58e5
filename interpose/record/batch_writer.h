// Batch writer: what waits in the backlog becomes frames, definitions before the records that use
// them, payloads behind those. Decides when live definitions are repeated; adds the losses, the
// counts of rules and the end. Owner: the writer thread. Threads: one. Failure: an errno value, and
// what could not be written is counted; std::bad_alloc.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interpose/record/backlog.h"
#include "interpose/record/frame_writer.h"
#include "interpose/record/loss_counters.h"
#include "interpose/record/rule_counters.h"

namespace graphtap::record {

class BatchWriter {
 public:
  // Live definitions are repeated whenever `repeat_bytes` of payload were stored since the last
  // time. `losses` is told what this class itself has to drop.
  BatchWriter(std::unique_ptr<RunFile> file, int zstd_level, std::uint64_t repeat_bytes,
              LossCounters& losses, RuleCounters& rules);

  // Writes what waits, then the losses and counts that changed. 0 or an errno value.
  int Write(Backlog& backlog);

  // The same for the last time: the backlog takes nothing any more. `end`, unless it is empty, is
  // the encoded End; it and the end frame close the file. Also once the file is broken: what waited
  // is gone, but losses and end are short, and there may be room for them.
  int WriteLast(Backlog& backlog, std::string_view end);

  const RunFile& file() const { return frames_.file(); }

 private:
  class TakenRoom;

  int WriteBatch(Backlog& backlog, Backlog::Batch batch);
  int WriteContents(Backlog::Batch& batch, TakenRoom& room);
  int WriteFrames(FrameKind kind, std::vector<Messages>& frames, TakenRoom& room);
  int WriteDefinitions(std::span<const Definition> definitions, bool repeated);
  int PackDefinitions(std::span<const Definition> definitions, bool repeated);
  int WriteTail(std::string_view end);
  int WriteFrame(FrameKind kind, const Messages& messages);
  bool RepeatIsDue() const;

  FrameWriter frames_;
  std::uint64_t repeat_bytes_;
  std::uint64_t repeated_at_ = 0;  // stored bytes when the definitions were last repeated
  std::uint64_t unwritten_ = 0;    // messages of the batch that are not yet in the file
  LossCounters& losses_;
  RuleCounters& rules_;
};

}  // namespace graphtap::record
