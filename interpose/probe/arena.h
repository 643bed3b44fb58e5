// Arena: device memory of graphtap's own, taken from the driver in chunks and given out in pieces.
// Nothing is given back to the driver: freeing would wait for the device, which the job must not.
// Owner: the device. Threads: the owner's lock. Failure: nullopt: over the limit, or the driver has
// no more; Take may throw bad_alloc. Units: bytes; pieces are aligned to 256.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>

namespace graphtap::probe {

class Arena {
 public:
  // `more` gets a chunk of that many bytes from the driver; nullopt: there is none. It is asked for
  // multiples of `chunk_bytes`, and if it has none, for what is needed.
  using More = std::function<std::optional<std::uint64_t>(std::uint64_t bytes)>;

  Arena(std::uint64_t chunk_bytes, More more) : chunk_bytes_(chunk_bytes), more_(std::move(more)) {}

  // A piece of at least that many bytes. It is to be returned with the same number.
  std::optional<std::uint64_t> Take(std::uint64_t bytes);
  void Return(std::uint64_t address, std::uint64_t bytes);

 private:
  using Pieces = std::map<std::uint64_t, std::uint64_t>;
  Pieces::iterator FindFree(std::uint64_t bytes);
  Pieces::iterator AddChunk(std::uint64_t bytes);
  bool Adjoin(Pieces::iterator piece, Pieces::iterator next) const;

  const std::uint64_t chunk_bytes_;
  const More more_;
  std::map<std::uint64_t, std::uint64_t> free_;  // address -> bytes
  std::set<std::uint64_t> chunks_;               // pieces of two chunks are never joined
};

}  // namespace graphtap::probe
