#include "interpose/record/frame_writer.h"

#include <xxhash.h>

#include <cstring>

namespace graphtap::record {
namespace {

template <typename Integer>
void PutLittleEndian(std::byte* at, Integer value) {
  for (std::size_t i = 0; i < sizeof(Integer); ++i) {
    at[i] = static_cast<std::byte>(value >> (8 * i));
  }
}

std::uint32_t Check(const std::byte* bytes, std::size_t length) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes, length));
}

}  // namespace

FrameWriter::FrameWriter(std::unique_ptr<RunFile> file, int zstd_level)
    : file_(std::move(file)),
      zstd_level_(zstd_level),
      context_(zstd_level == 0 ? nullptr : ZSTD_createCCtx()) {}

std::uint32_t FrameWriter::Store(std::string_view payload, std::uint8_t* flags) {
  *flags = kFlagRaw;
  if (context_ != nullptr) {
    frame_.resize(kFrameHeaderBytes + ZSTD_compressBound(payload.size()));
    const std::size_t stored = ZSTD_compressCCtx(context_.get(), frame_.data() + kFrameHeaderBytes,
                                                 frame_.size() - kFrameHeaderBytes, payload.data(),
                                                 payload.size(), zstd_level_);
    if (!ZSTD_isError(stored) && stored < payload.size()) {
      *flags = 0;
      return static_cast<std::uint32_t>(stored);
    }
  }
  frame_.resize(kFrameHeaderBytes + payload.size());
  std::memcpy(frame_.data() + kFrameHeaderBytes, payload.data(), payload.size());
  return static_cast<std::uint32_t>(payload.size());
}

int FrameWriter::Write(FrameKind kind, std::string_view payload, std::uint32_t count) {
  std::uint8_t flags = 0;
  const std::uint32_t stored = Store(payload, &flags);
  const auto kind_number = static_cast<std::uint8_t>(kind);
  std::byte* const header = frame_.data();
  std::memcpy(header + kMagicAt, kFrameMagic.data(), kFrameMagic.size());
  PutLittleEndian(header + kMajorAt, kFormatMajor);
  PutLittleEndian(header + kMinorAt, kFormatMinor);
  PutLittleEndian(header + kKindAt, kind_number);
  PutLittleEndian(header + kFlagsAt, flags);
  PutLittleEndian(header + kCountAt, count);
  PutLittleEndian(header + kSequenceAt, sequence_);
  PutLittleEndian(header + kFirstNumberAt, messages_[kind_number]);
  PutLittleEndian(header + kStoredLengthAt, stored);
  PutLittleEndian(header + kRawLengthAt, static_cast<std::uint32_t>(payload.size()));
  PutLittleEndian(header + kPayloadCheckAt, Check(header + kFrameHeaderBytes, stored));
  PutLittleEndian(header + kHeaderCheckAt, Check(header, kHeaderCheckAt));
  const int error = file_->Append({header, kFrameHeaderBytes + stored});
  if (error != 0) return error;
  ++sequence_;
  stored_bytes_ += stored;
  messages_[kind_number] += count;
  return 0;
}

}  // namespace graphtap::record
