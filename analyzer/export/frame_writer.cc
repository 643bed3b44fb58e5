#include "analyzer/export/frame_writer.h"

#include <google/protobuf/io/coded_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/delimited_message_util.h>
#include <xxhash.h>
#include <zstd.h>

#include <utility>

namespace graphtap::exporting {
namespace {

constexpr int kFirstRecordNumber = 32;  // of Entry; definitions are below
constexpr int kZstdLevel = 1;

template <typename T>
void StoreLittleEndian(T value, unsigned at, std::string* header) {
  for (std::size_t i = 0; i < sizeof(T); ++i) {
    (*header)[at + i] = static_cast<char>(value >> (8 * i) & 0xff);
  }
}

std::uint32_t Check(const char* bytes, std::size_t length) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes, length));
}

std::string Compress(const std::string& raw) {
  std::string stored(ZSTD_compressBound(raw.size()), '\0');
  stored.resize(ZSTD_compress(stored.data(), stored.size(), raw.data(), raw.size(), kZstdLevel));
  return stored;
}

}  // namespace

FrameKind KindOf(const Entry& entry) {
  if (entry.has_payload_piece()) return FrameKind::kPayload;
  return entry.body_case() < kFirstRecordNumber ? FrameKind::kDefinitions : FrameKind::kRecords;
}

void FrameWriter::Append(const Entry& entry) {
  const FrameKind kind = KindOf(entry);
  if (kind != kind_ || payload_.size() >= kFrameTargetBytes) CloseFrame();
  kind_ = kind;
  google::protobuf::io::StringOutputStream stream(&payload_);
  google::protobuf::util::SerializeDelimitedToZeroCopyStream(entry, &stream);
  ++count_;
  if (!entry.has_end()) return;
  CloseFrame();
  kind_ = FrameKind::kEnd;
  WriteFrame();
}

void FrameWriter::CloseFrame() {
  if (count_ > 0) WriteFrame();
}

void FrameWriter::WriteFrame() {
  const std::string stored = compression_ == Compression::kRaw ? payload_ : Compress(payload_);
  auto& first_number = first_number_[static_cast<std::uint8_t>(kind_)];
  std::string header(kFrameHeaderBytes, '\0');
  for (std::size_t i = 0; i < kFrameMagic.size(); ++i) {
    header[kMagicAt + i] = static_cast<char>(kFrameMagic[i]);
  }
  StoreLittleEndian(kFormatMajor, kMajorAt, &header);
  StoreLittleEndian(kFormatMinor, kMinorAt, &header);
  StoreLittleEndian(static_cast<std::uint8_t>(kind_), kKindAt, &header);
  const std::uint8_t flags = compression_ == Compression::kRaw ? kFlagRaw : 0;
  StoreLittleEndian(flags, kFlagsAt, &header);
  StoreLittleEndian(count_, kCountAt, &header);
  StoreLittleEndian(sequence_, kSequenceAt, &header);
  StoreLittleEndian(first_number, kFirstNumberAt, &header);
  StoreLittleEndian(static_cast<std::uint32_t>(stored.size()), kStoredLengthAt, &header);
  StoreLittleEndian(static_cast<std::uint32_t>(payload_.size()), kRawLengthAt, &header);
  StoreLittleEndian(Check(stored.data(), stored.size()), kPayloadCheckAt, &header);
  StoreLittleEndian(Check(header.data(), kHeaderCheckAt), kHeaderCheckAt, &header);
  file_ += header;
  file_ += stored;
  first_number += count_;
  ++sequence_;
  count_ = 0;
  payload_.clear();
}

std::string FrameWriter::Take() {
  CloseFrame();
  return std::exchange(file_, {});
}

}  // namespace graphtap::exporting
