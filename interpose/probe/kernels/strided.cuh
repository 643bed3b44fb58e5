// Lanes of a tensor whose elements do not lie in C order: put together of pieces, in C order, so
// that all that is made of them is what it would be of the same tensor laid in C order. Device
// code.
#pragma once

#include "interpose/probe/kernels/share.cuh"

namespace graphtap::probe {

// Of the block's tensor. In shared memory: functions that are not inlined read them from there
// faster than from the kernel's arguments.
__shared__ Strides block_strides;
__shared__ Word block_address;

// For one thread of the block; the others wait for it.
__device__ __forceinline__ void SetTensor(Word address, const Strides& strides) {
  block_address = address;
  block_strides = strides;
}

// A piece, and how many there are from it on to the end of the innermost dimension.
struct Cursor {
  Word address, left;
};

__device__ __forceinline__ Cursor Find(Word piece) {
  Word address = block_address, left = block_strides.sizes[0] - piece;
#pragma unroll 1
  for (unsigned d = block_strides.dimensions - 1; d != 0; --d) {
    const Word outer = __umul64hi(piece, block_strides.multipliers[d]) >> block_strides.shifts[d];
    const Word index = piece - outer * block_strides.sizes[d];
    if (d == block_strides.dimensions - 1) left = block_strides.sizes[d] - index;
    address += index * block_strides.strides[d];
    piece = outer;
  }
  return {address + piece * block_strides.strides[0], left};
}

// As Find. Out of line: it is there for each piece of a lane.
__device__ __noinline__ Cursor FindAgain(Word piece) { return Find(piece); }

// Lane `number` of the tensor, of which `bytes` bytes are wanted; there may be more of the last
// piece, and the rest is zero.
template <typename Piece>
__device__ __forceinline__ Lane GatherPieces(Word number, unsigned bytes) {
  constexpr unsigned kPieces = kLaneBytes / sizeof(Piece);
  const Word stride = block_strides.strides[block_strides.dimensions - 1];
  Cursor cursor = Find(number * kPieces);
  Lane lane = {};
#pragma unroll
  for (unsigned i = 0; i < kPieces; ++i) {
    const unsigned at = i * sizeof(Piece);
    if (at >= bytes) continue;
    if (cursor.left == 0) cursor = FindAgain(number * kPieces + i);
    const Word piece = *reinterpret_cast<const Piece*>(cursor.address);
    lane.words[at / 4] |= static_cast<unsigned>(piece) << at % 4 * 8;
    if (sizeof(Piece) > 4) lane.words[(at / 4 + 1) % 4] |= static_cast<unsigned>(piece >> 32);
    cursor.address += stride;
    --cursor.left;
  }
  return lane;
}

// Out of line: its code is long.
__device__ __noinline__ Lane Gather(Word number, unsigned bytes) {
  if (block_strides.piece_bytes == 16) return LoadAligned(Find(number).address);
  if (block_strides.piece_bytes == 8) return GatherPieces<Word>(number, bytes);
  if (block_strides.piece_bytes == 4) return GatherPieces<unsigned>(number, bytes);
  if (block_strides.piece_bytes == 2) return GatherPieces<unsigned short>(number, bytes);
  return GatherPieces<unsigned char>(number, bytes);
}

// A block's share of its tensor, as Lanes.
struct StridedLanes {
  Word number;  // of the first
  unsigned whole, last_bytes;

  // Bytes [first, end) in C order; `first` is a multiple of kLaneBytes.
  __device__ static __forceinline__ StridedLanes Of(Word first, Word end) {
    const unsigned bytes = static_cast<unsigned>(end - first);
    return {first / kLaneBytes, bytes / kLaneBytes, bytes % kLaneBytes};
  }

  __device__ __forceinline__ Lane Any(unsigned lane, unsigned bytes) const {
    return Gather(number + lane, bytes);
  }
  __device__ __forceinline__ unsigned char Byte(unsigned at) const {
    const Lane lane = Gather(number + at / kLaneBytes, at % kLaneBytes + 1);
    return static_cast<unsigned char>(lane.words[at % kLaneBytes / 4] >> at % 4 * 8);
  }
};

// Where each lane is one piece, all loads are under way at once; else those of one lane.
template <bool kPlain, unsigned kCount, bool kAllThere>
__device__ __forceinline__ void LoadBatch(const StridedLanes& lanes, unsigned first,
                                          Lane (&batch)[kLanesInFlight]) {
  const auto there = [&](unsigned i) {
    return kAllThere || first + i * kProbeThreads < lanes.whole;
  };
  const Word number = lanes.number + first;
  if (block_strides.piece_bytes == kLaneBytes) {
    Word addresses[kCount];
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      addresses[i] = there(i) ? FindAgain(number + i * kProbeThreads).address : 0;
    }
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      batch[i] = there(i) ? LoadAligned(addresses[i]) : Lane{};
    }
  } else {
#pragma unroll
    for (unsigned i = 0; i < kCount; ++i) {
      batch[i] = there(i) ? Gather(number + i * kProbeThreads, kLaneBytes) : Lane{};
    }
  }
}

}  // namespace graphtap::probe
