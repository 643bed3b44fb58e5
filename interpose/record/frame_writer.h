// Frame writer: payloads to frames (proto/frame_format.h) at the end of the run file. Owner: the
// writer thread. Threads: one. Failure: Write returns an errno value or throws std::bad_alloc
// before anything is written. Units: bytes.
#pragma once

#include <zstd.h>

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "interpose/record/run_file.h"
#include "proto/frame_format.h"

namespace graphtap::record {

class FrameWriter {
 public:
  // zstd_level 0: payloads are stored as they are.
  FrameWriter(std::unique_ptr<RunFile> file, int zstd_level);

  // One frame of `count` messages, at most kFrameMaxRawBytes of them. 0 or an errno value.
  int Write(FrameKind kind, std::string_view payload, std::uint32_t count);

  // Stored payload of all frames so far.
  std::uint64_t stored_bytes() const { return stored_bytes_; }

  const RunFile& file() const { return *file_; }

 private:
  struct FreeContext {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  };

  // Puts the payload behind the place of the header in frame_; *flags says how it is stored.
  std::uint32_t Store(std::string_view payload, std::uint8_t* flags);

  std::unique_ptr<RunFile> file_;
  int zstd_level_;
  std::unique_ptr<ZSTD_CCtx, FreeContext> context_;
  std::vector<std::byte> frame_;  // header and payload: one write() a frame
  std::uint64_t sequence_ = 0;
  std::uint64_t stored_bytes_ = 0;
  std::array<std::uint64_t, 256> messages_{};  // of each kind, in all frames so far
};

}  // namespace graphtap::record
