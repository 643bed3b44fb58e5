#include "analyzer/model/payload_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "proto/frames/frame_reader.h"

namespace graphtap::model {

PayloadReader::PayloadReader(const Process& process, std::unique_ptr<reader::ByteSource> source)
    : process_(&process), source_(std::move(source)) {}

absl::StatusOr<PayloadReader> PayloadReader::Open(const Process& process) {
  auto source = reader::OpenFile(process.path);
  if (!source.ok()) return source.status();
  return PayloadReader(process, *std::move(source));
}

bool PayloadReader::Load(const reader::Place& place) {
  if (frame_at_ != place.frame) {
    auto payload = frames::FrameReader(*source_).PayloadAt(place.frame);
    if (!payload) return false;
    frame_ = *std::move(payload);
    frame_at_ = place.frame;
    piece_at_.reset();
  }
  if (piece_at_ == place.position) return true;
  if (place.position + std::uint64_t{place.size} > frame_.size()) return false;
  Entry entry;
  if (!entry.ParseFromArray(frame_.data() + place.position, static_cast<int>(place.size))) {
    return false;
  }
  piece_ = std::move(*entry.mutable_payload_piece()->mutable_bytes());
  piece_at_ = place.position;
  return true;
}

bool PayloadReader::Read(std::uint64_t payload, std::uint64_t offset, std::span<std::byte> to) {
  const auto pieces = process_->payloads.Of(payload);
  // The last piece that begins at or before the place that is due next.
  while (!to.empty()) {
    auto piece = std::upper_bound(
        pieces.begin(), pieces.end(), offset,
        [](std::uint64_t place, const Piece& later) { return place < later.offset; });
    if (piece == pieces.begin()) return false;
    --piece;
    const std::uint64_t skip = offset - piece->offset;
    if (skip >= piece->bytes || !Load(piece->place) || piece_.size() != piece->bytes) return false;
    const std::size_t size = std::min<std::uint64_t>(to.size(), piece->bytes - skip);
    std::memcpy(to.data(), piece_.data() + skip, size);
    offset += size;
    to = to.subspan(size);
  }
  return true;
}

}  // namespace graphtap::model
