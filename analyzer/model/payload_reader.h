// PayloadReader: the bytes that observations copied, read from the run file piece by piece. Holds
// one frame at a time, so that neighbours in the file are cheap and memory stays bounded. Owner:
// the command; the process outlives it. Threads: one. Failure: bytes of a missing or damaged piece
// are not read. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "analyzer/model/process.h"
#include "analyzer/reader/byte_source.h"

namespace graphtap::model {

class PayloadReader {
 public:
  // Opens the file of the process.
  static absl::StatusOr<PayloadReader> Open(const Process& process);
  // `source` holds the process's file.
  PayloadReader(const Process& process, std::unique_ptr<reader::ByteSource> source);

  // Fills `to` with the bytes of the payload from `offset` on. False: not all of them are there.
  bool Read(std::uint64_t payload, std::uint64_t offset, std::span<std::byte> to);

 private:
  bool Load(const reader::Place& place);

  const Process* process_;
  std::unique_ptr<reader::ByteSource> source_;
  std::optional<std::uint64_t> frame_at_;  // of frame_
  std::string frame_;                      // its payload
  std::optional<std::uint32_t> piece_at_;  // of piece_ in frame_
  std::string piece_;                      // the bytes of one piece
};

}  // namespace graphtap::model
