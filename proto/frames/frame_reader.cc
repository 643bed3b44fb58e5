#include "proto/frames/frame_reader.h"

#include <xxhash.h>
#include <zstd.h>

#include <algorithm>
#include <cstring>
#include <string_view>

namespace graphtap::frames {
namespace {

// A search for a frame reads so much first, and up to so much later: the next one is often near.
constexpr std::size_t kFirstScanBytes = 512, kScanBytes = 64u << 10;

std::string_view Magic() {
  return {reinterpret_cast<const char*>(kFrameMagic.data()), kFrameMagic.size()};
}

template <typename T>
T LoadLittleEndian(const char* from) {
  T value = 0;
  for (std::size_t i = sizeof(T); i-- > 0;) {
    value = static_cast<T>(value << 8 | static_cast<unsigned char>(from[i]));
  }
  return value;
}

std::uint32_t Check(const char* bytes, std::size_t length) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes, length));
}

bool IsKnown(std::uint8_t kind, std::uint8_t flags) {
  const auto frame_kind = static_cast<FrameKind>(kind);
  return (frame_kind == FrameKind::kDefinitions || frame_kind == FrameKind::kRecords ||
          frame_kind == FrameKind::kPayload || frame_kind == FrameKind::kEnd) &&
         (flags & ~kFlagRaw) == 0;
}

bool Decompress(const std::string& stored, std::uint32_t raw_length, std::string* raw) {
  if (raw->capacity() < raw_length) std::string().swap(*raw);  // else it may grow to twice its size
  raw->resize(raw_length);
  const std::size_t length =
      ZSTD_decompress(raw->data(), raw->size(), stored.data(), stored.size());
  return ZSTD_isError(length) == 0 && length == raw_length;
}

}  // namespace

Found FrameReader::Next(Frame* frame) {
  damage_.unfinished_bytes = 0;
  while (const auto header = FindHeader()) {
    if (header->major != kFormatMajor) {
      other_major_ = header->major;
      return Found::kOtherVersion;
    }
    if (IsUnfinished(*header)) {
      Claim(*header, 0);
      damage_.unfinished_bytes = source_.size() - position_;
      break;
    }
    Claim(*header, 1);
    if (!IsSkipped(*header) && !ReadPayload(*header, position_, &frame->payload)) {
      SkipDamaged(*header);
      continue;
    }
    CountGaps(*header);
    frame->offset = position_;
    position_ += kFrameHeaderBytes + header->stored_length;
    if (IsSkipped(*header)) continue;
    if (!IsKnown(header->kind, header->flags)) {
      ++damage_.unknown_frames;
      continue;
    }
    frame->kind = static_cast<FrameKind>(header->kind);
    frame->sequence = header->sequence;
    frame->first_number = header->first_number;
    frame->count = header->count;
    return Found::kOne;
  }
  CountGapsAtEnd();
  return Found::kEnd;
}

std::string FrameReader::VersionText() const {
  return "at byte " + std::to_string(position_) + ": format version " +
         std::to_string(other_major_) + "; this graphtap reads version " +
         std::to_string(kFormatMajor);
}

std::optional<FrameReader::Header> FrameReader::ReadHeader(std::uint64_t offset) const {
  char bytes[kFrameHeaderBytes];
  if (source_.Read(offset, bytes, sizeof bytes) != sizeof bytes) return std::nullopt;
  if (std::string_view(bytes, Magic().size()) != Magic()) return std::nullopt;
  if (Check(bytes, kHeaderCheckAt) != LoadLittleEndian<std::uint32_t>(bytes + kHeaderCheckAt)) {
    return std::nullopt;
  }
  Header header;
  header.major = static_cast<std::uint8_t>(bytes[kMajorAt]);
  header.kind = static_cast<std::uint8_t>(bytes[kKindAt]);
  header.flags = static_cast<std::uint8_t>(bytes[kFlagsAt]);
  header.count = LoadLittleEndian<std::uint32_t>(bytes + kCountAt);
  header.sequence = LoadLittleEndian<std::uint64_t>(bytes + kSequenceAt);
  header.first_number = LoadLittleEndian<std::uint64_t>(bytes + kFirstNumberAt);
  header.stored_length = LoadLittleEndian<std::uint32_t>(bytes + kStoredLengthAt);
  header.raw_length = LoadLittleEndian<std::uint32_t>(bytes + kRawLengthAt);
  header.payload_check = LoadLittleEndian<std::uint32_t>(bytes + kPayloadCheckAt);
  return header;
}

// The header at position_, after counting what has to be skipped to get to one. None: the end.
std::optional<FrameReader::Header> FrameReader::FindHeader() {
  while (position_ < source_.size()) {
    if (const auto header = ReadHeader(position_)) return header;
    const std::uint64_t left = source_.size() - position_;
    if (left < kFrameHeaderBytes) {
      char bytes[kFrameHeaderBytes];
      const std::string_view start(bytes, source_.Read(position_, bytes, sizeof bytes));
      if (start.substr(0, Magic().size()) == Magic().substr(0, start.size())) {
        damage_.unfinished_bytes = left;
        return std::nullopt;
      }
    }
    const std::uint64_t next = ScanForFrame(position_ + 1);
    if (next == source_.size()) ++damage_.frames;  // there was one, and no later one tells of it
    CountSkipped(next);
  }
  return std::nullopt;
}

// The first place from `offset` on where a frame begins: a header that is right, or the beginning
// of one that the end of the file cuts off. The size of the file if there is none.
std::uint64_t FrameReader::ScanForFrame(std::uint64_t offset) const {
  std::string window(kFirstScanBytes, '\0');
  while (offset < source_.size()) {
    const std::string_view bytes(window.data(), source_.Read(offset, window.data(), window.size()));
    if (bytes.size() < Magic().size()) break;
    for (std::size_t at = bytes.find(Magic()); at != std::string_view::npos;
         at = bytes.find(Magic(), at + 1)) {
      const std::uint64_t candidate = offset + at;
      if (source_.size() - candidate < kFrameHeaderBytes || ReadHeader(candidate)) {
        return candidate;
      }
    }
    offset += bytes.size() - (Magic().size() - 1);  // a magic may lie across two windows
    window.resize(std::min(2 * window.size(), kScanBytes));
  }
  return source_.size();
}

std::optional<std::string> FrameReader::PayloadAt(std::uint64_t offset) const {
  const auto header = ReadHeader(offset);
  std::string payload;
  if (!header || !ReadPayload(*header, offset, &payload)) return std::nullopt;
  return payload;
}

bool FrameReader::ReadPayload(const Header& header, std::uint64_t offset,
                              std::string* payload) const {
  if (header.raw_length > kFrameMaxRawBytes ||
      header.stored_length > ZSTD_compressBound(kFrameMaxRawBytes) ||
      header.stored_length > source_.size() - offset - kFrameHeaderBytes) {
    return false;  // before room is made for what may not be there
  }
  std::string stored(header.stored_length, '\0');
  if (source_.Read(offset + kFrameHeaderBytes, stored.data(), stored.size()) != stored.size() ||
      Check(stored.data(), stored.size()) != header.payload_check) {
    return false;
  }
  if (!IsKnown(header.kind, header.flags)) return true;
  if ((header.flags & kFlagRaw) == 0) return Decompress(stored, header.raw_length, payload);
  payload->swap(stored);
  return payload->size() == header.raw_length;
}

// A frame that goes on after the end of the file, with no other frame inside: the writer was
// stopped, or is at it. With another frame inside, bytes were taken out of the middle of the file.
bool FrameReader::IsUnfinished(const Header& header) const {
  const std::uint64_t end = position_ + kFrameHeaderBytes + header.stored_length;
  if (end <= source_.size()) return false;
  const std::uint64_t next = ScanForFrame(position_ + kFrameHeaderBytes);
  return source_.size() - next < kFrameHeaderBytes;
}

bool FrameReader::IsSkipped(const Header& header) const {
  return payloads_ == PayloadFrames::kSkip && header.kind == static_cast<int>(FrameKind::kPayload);
}

void FrameReader::SkipDamaged(const Header& header) {
  // The end of the frame is tried first: its payload may hold what looks like a frame.
  const std::uint64_t end = position_ + kFrameHeaderBytes + header.stored_length;
  // Frames inside of frames, each of them damaged, are what damage does not make: they are not
  // searched again and again.
  damaged_payload_bytes_ += end <= source_.size() ? header.stored_length : 0;
  const bool continues =
      end == source_.size() ||
      (end < source_.size() && (ReadHeader(end) || damaged_payload_bytes_ > source_.size()));
  CountSkipped(continues ? end : ScanForFrame(position_ + kFrameHeaderBytes));
}

void FrameReader::CountSkipped(std::uint64_t next) {
  ++damage_.places;
  damage_.bytes += next - position_;
  position_ = next;
}

// `frames`: 1, or 0 for an unfinished frame, which tells only of those before it.
void FrameReader::Claim(const Header& header, std::uint32_t frames) {
  claimed_sequence_ = std::max(claimed_sequence_, header.sequence + frames);
  auto& claimed = claimed_number_[header.kind];
  claimed = std::max(claimed, header.first_number + frames * header.count);
}

void FrameReader::CountGaps(const Header& header) {
  if (header.sequence > expected_sequence_) {
    damage_.frames += header.sequence - expected_sequence_;
  }
  expected_sequence_ = std::max(expected_sequence_, header.sequence + 1);
  auto& expected = expected_number_[header.kind];
  if (header.first_number > expected) damage_.messages += header.first_number - expected;
  expected = std::max(expected, header.first_number + header.count);
}

// Frames at the end whose header could be read, but not their payload.
void FrameReader::CountGapsAtEnd() {
  if (claimed_sequence_ > expected_sequence_) {
    damage_.frames += claimed_sequence_ - expected_sequence_;
    expected_sequence_ = claimed_sequence_;
  }
  for (std::size_t kind = 0; kind < expected_number_.size(); ++kind) {
    if (claimed_number_[kind] <= expected_number_[kind]) continue;
    damage_.messages += claimed_number_[kind] - expected_number_[kind];
    expected_number_[kind] = claimed_number_[kind];
  }
}

}  // namespace graphtap::frames
