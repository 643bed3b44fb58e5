// Lanes: the 16-byte pieces that tensors are read, mixed and copied in. Device code.
#pragma once

#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/primitives.cuh"

namespace graphtap::probe {

constexpr unsigned kLaneBytes = 16;
// Independent loads that a thread has under way: what it takes to keep memory busy.
constexpr unsigned kLanesInFlight = 4;

struct Lane {
  unsigned words[4];
};

// At a multiple of 16.
__device__ __forceinline__ Lane LoadAligned(Word address) {
  Lane lane;
  LoadWords(address, lane.words);
  return lane;
}

// A lane in pieces, at an address that is a multiple of sizeof(Piece). Only the first `bytes` bytes
// are read, a multiple of it too; the rest is zero.
template <typename Piece>
__device__ __forceinline__ Lane LoadPieces(Word address, unsigned bytes) {
  Lane lane = {};
#pragma unroll
  for (unsigned at = 0; at < kLaneBytes; at += sizeof(Piece)) {
    if (at >= bytes) continue;
    const unsigned piece = *reinterpret_cast<const Piece*>(address + at);
    lane.words[at / 4] |= piece << at % 4 * 8;
  }
  return lane;
}

// At any address; of the last lane there may be fewer bytes, and the rest is zero. Out of line: it
// is rare, and its code is long.
__device__ __noinline__ Lane LoadAny(Word address, unsigned bytes) {
  const Word odd = address | bytes;
  if (odd % 4 == 0) return LoadPieces<unsigned>(address, bytes);
  if (odd % 2 == 0) return LoadPieces<unsigned short>(address, bytes);
  return LoadPieces<unsigned char>(address, bytes);
}

// A block's share of a tensor: `whole` lanes, and `last_bytes` bytes of one more.
struct Lanes {
  Word address;  // of the first
  Word number;   // of the first, in the tensor
  unsigned whole, last_bytes;

  // The first `bytes` bytes of a lane, the rest is zero.
  __device__ __forceinline__ Lane Any(unsigned lane, unsigned bytes) const {
    return LoadAny(address + lane * kLaneBytes, bytes);
  }
  __device__ __forceinline__ unsigned char Byte(unsigned at) const {
    return *reinterpret_cast<const unsigned char*>(address + at);
  }
};

// Bytes [first, end) of the tensor; `first` is a multiple of kLaneBytes.
__device__ __forceinline__ Lanes LanesOf(Word address, Word first, Word end) {
  const unsigned bytes = static_cast<unsigned>(end - first);
  return {address + first, first / kLaneBytes, bytes / kLaneBytes, bytes % kLaneBytes};
}

}  // namespace graphtap::probe
