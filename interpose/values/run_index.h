// RunIndex: what one run file says of observed values: by site and replay, where hash and bytes
// are. The bytes stay in the file. Owner: the run reference. Threads: one at a time. Failure:
// damage is passed over: what it held is not found; Full says that memory was not enough. May throw
// bad_alloc. Units: bytes.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "proto/dtype.h"
#include "proto/frames/byte_source.h"
#include "proto/frames/message_reader.h"

namespace graphtap::values {

class RunIndex {
 public:
  struct Site {
    Dtype dtype = Dtype::kUnknown;
    std::uint64_t bytes = 0;
    bool exact = false;
    bool copied = false;
    bool comparable = false;  // its hashes are computed as in this release
    std::uint32_t key = 0;    // number of its key
  };
  struct Observation {
    std::uint32_t key = 0, site = 0;
    std::uint64_t replay = 0;
    std::optional<std::uint64_t> hash{};
    std::optional<std::uint64_t> payload{};
    std::uint64_t payload_bytes = 0;
  };

  // Reads the file once. `most_bytes`: what the index may need of memory.
  RunIndex(const frames::ByteSource& source, std::uint64_t most_bytes);

  bool Full() const { return full_; }
  // `key`: as Watched::Key has it.
  const Observation* Find(const std::string& key, std::uint64_t replay) const;
  // Of what Find gave.
  const Site& SiteOf(const Observation& observation) const { return sites_.at(observation.site); }
  // Whether bytes of a site of this key were copied.
  bool HasBytes(const std::string& key) const;

  // False: not all of them are there.
  bool Read(std::uint64_t payload, std::uint64_t offset, std::span<std::byte> to);

 private:
  friend class RunIndexBuilder;
  struct Piece {
    std::uint64_t payload = 0, offset = 0;
    frames::Place bytes;  // themselves, in the frame
  };
  bool Load(std::uint64_t frame);

  const frames::ByteSource& source_;
  bool full_ = false;
  std::unordered_map<std::string, std::uint32_t> keys_;
  std::map<std::uint32_t, Site> sites_;
  std::vector<Observation> observations_;  // by key and replay
  std::vector<Piece> pieces_;              // by payload and offset
  std::optional<std::uint64_t> frame_at_;  // of frame_
  std::string frame_;                      // its payload
};

}  // namespace graphtap::values
