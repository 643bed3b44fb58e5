// FrameWriter: messages to the bytes of a run file (proto/frame_format.h, docs/format.md).
// For `graphtap pack` and tests; the preload library has its own, which waits for nobody.
// Owner: the caller. Threads: one. Failure: none. Units: bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>

#include "proto/frame_format.h"
#include "proto/trace.pb.h"

namespace graphtap::exporting {

enum class Compression { kRaw, kZstd };

// The frame kind that a message belongs into: pieces of payloads have their own, else its number in
// Entry decides.
FrameKind KindOf(const Entry& entry);

class FrameWriter {
 public:
  explicit FrameWriter(Compression compression) : compression_(compression) {}

  // A frame is closed when the kind changes or its payload has reached kFrameTargetBytes. The End
  // record closes its own too, and the empty end frame follows.
  void Append(const Entry& entry);

  // For the frames that are closed from now on.
  void SetCompression(Compression compression) { compression_ = compression; }

  // Closes the open frame, if there is a message in it.
  void CloseFrame();

  // The file so far; takes it, closing the open frame first.
  std::string Take();

 private:
  void WriteFrame();

  Compression compression_;
  FrameKind kind_ = FrameKind::kDefinitions;
  std::string payload_;
  std::uint32_t count_ = 0;
  std::uint64_t sequence_ = 0;
  std::array<std::uint64_t, 256> first_number_ = {};
  std::string file_;
};

}  // namespace graphtap::exporting
