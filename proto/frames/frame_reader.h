// FrameReader: the intact frames of a run file, in order (proto/frame_format.h, docs/format.md).
// After damage it goes on at the next header whose check is right. A last frame that is not
// complete ends the file and is no damage. If the source grows, Next() goes on where it was.
// Memory: one payload, at most kFrameMaxRawBytes, and no more compressed bytes than the file has.
// Time: in proportion to the file and its payloads. Owner: the caller, who keeps the source alive.
// Threads: one. Failure: only another major version is an error; all damage is counted. May throw
// bad_alloc.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "proto/frame_format.h"
#include "proto/frames/byte_source.h"
#include "proto/frames/damage.h"

namespace graphtap::frames {

struct Frame {
  FrameKind kind = FrameKind::kRecords;
  std::uint64_t offset = 0;  // of its header in the file
  std::uint64_t sequence = 0;
  std::uint64_t first_number = 0;
  std::uint32_t count = 0;
  std::string payload;  // decompressed
};

enum class PayloadFrames { kRead, kSkip };

enum class Found : std::uint8_t {
  kOne,
  kEnd,           // of the file
  kOtherVersion,  // the file has another major version
};

class FrameReader {
 public:
  explicit FrameReader(const ByteSource& source, PayloadFrames payloads = PayloadFrames::kRead)
      : source_(source), payloads_(payloads) {}

  // The next intact frame of a known kind.
  Found Next(Frame* frame);

  // After kOtherVersion: which and where.
  std::string VersionText() const;

  // The payload of the frame whose header is at `offset`, as an earlier Frame said. nullopt: there
  // is none, or it is damaged. Next() goes on where it was.
  std::optional<std::string> PayloadAt(std::uint64_t offset) const;

  // Complete once Next() has come to the end.
  const Damage& damage() const { return damage_; }

 private:
  struct Header {
    std::uint8_t major, kind, flags;
    std::uint32_t count, stored_length, raw_length, payload_check;
    std::uint64_t sequence, first_number;
  };

  std::optional<Header> ReadHeader(std::uint64_t offset) const;
  std::optional<Header> FindHeader();
  std::uint64_t ScanForFrame(std::uint64_t offset) const;
  bool ReadPayload(const Header& header, std::uint64_t offset, std::string* payload) const;
  bool IsUnfinished(const Header& header) const;
  bool IsSkipped(const Header& header) const;
  void SkipDamaged(const Header& header);
  void CountSkipped(std::uint64_t next);
  void Claim(const Header& header, std::uint32_t frames);
  void CountGaps(const Header& header);
  void CountGapsAtEnd();

  const ByteSource& source_;
  PayloadFrames payloads_;
  std::uint64_t position_ = 0;
  std::uint64_t damaged_payload_bytes_ = 0;  // read in vain
  unsigned other_major_ = 0;
  Damage damage_;
  // What the next intact frame should say, and the most that any readable header has said.
  std::uint64_t expected_sequence_ = 0;
  std::uint64_t claimed_sequence_ = 0;
  std::array<std::uint64_t, 256> expected_number_ = {};
  std::array<std::uint64_t, 256> claimed_number_ = {};
};

}  // namespace graphtap::frames
