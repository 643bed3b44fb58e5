#include "interpose/probe/arena.h"

#include <algorithm>

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kAlignment = 256;

std::uint64_t RoundUp(std::uint64_t bytes, std::uint64_t unit) {
  return (std::max<std::uint64_t>(bytes, 1) + unit - 1) / unit * unit;
}

}  // namespace

// The smallest piece that is large enough: large pieces stay whole for large slots.
Arena::Pieces::iterator Arena::FindFree(std::uint64_t bytes) {
  auto best = free_.end();
  for (auto piece = free_.begin(); piece != free_.end(); ++piece) {
    if (piece->second < bytes) continue;
    if (best == free_.end() || piece->second < best->second) best = piece;
  }
  return best;
}

Arena::Pieces::iterator Arena::AddChunk(std::uint64_t bytes) {
  std::uint64_t size = RoundUp(bytes, chunk_bytes_);
  auto address = more_(size);
  if (!address && size > bytes) {
    size = bytes;
    address = more_(size);
  }
  if (!address) return free_.end();
  chunks_.insert(*address);
  return free_.emplace(*address, size).first;
}

std::optional<std::uint64_t> Arena::Take(std::uint64_t bytes) {
  bytes = RoundUp(bytes, kAlignment);
  auto piece = FindFree(bytes);
  if (piece == free_.end()) piece = AddChunk(bytes);
  if (piece == free_.end()) return std::nullopt;
  const auto [address, size] = *piece;
  free_.erase(piece);
  if (size > bytes) free_.emplace(address + bytes, size - bytes);
  return address;
}

bool Arena::Adjoin(Pieces::iterator piece, Pieces::iterator next) const {
  return next != free_.end() && piece->first + piece->second == next->first &&
         !chunks_.contains(next->first);
}

void Arena::Return(std::uint64_t address, std::uint64_t bytes) {
  auto piece = free_.emplace(address, RoundUp(bytes, kAlignment)).first;
  if (const auto next = std::next(piece); Adjoin(piece, next)) {
    piece->second += next->second;
    free_.erase(next);
  }
  if (piece == free_.begin()) return;
  const auto before = std::prev(piece);
  if (!Adjoin(before, piece)) return;
  before->second += piece->second;
  free_.erase(piece);
}

}  // namespace graphtap::probe
