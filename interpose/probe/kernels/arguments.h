// Probe arguments: what the host hands to the probe kernels, and what they leave in a slot. One
// layout for the device code (NVRTC: no standard header), the library and the CPU twins.
// A slot is device memory: a SlotHeader, then for probes in a graph of the job's a stamp each, then
// for each site its Records, one a block, and its copy.
// Owner: the shadow that the kernels are in. Threads: plain values. Failure: none. Units: bytes.
#pragma once

#include "proto/digest_record.h"

namespace graphtap::probe {

using Word = unsigned long long;
static_assert(sizeof(Word) == 8);

// Kernel names (extern "C"); each takes one argument struct by value.
//   graphtap_head(HeadArguments)     1 thread: before every root of the shadow, or of the replay
//   graphtap_hash(ProbeArguments)    kProbeThreads a block: hashes and copies
//   graphtap_digest(ProbeArguments)  the same, with statistics of tensors whose dtype is not kNone
//   graphtap_strided(StridedArguments)  as graphtap_digest, of tensors that do not lie in C order:
//                                    what is left is that of the same tensor laid in C order
inline constexpr unsigned kProbeThreads = 256;
inline constexpr unsigned kTensorsPerProbe = 8;
// Shares of a block are multiples of the least. More than the greatest would make the chains of
// float32 additions longer than the statistics' precision allows.
inline constexpr unsigned kMinBlockBytes = 4096;
inline constexpr unsigned kMaxBlockBytes = 131072;

// Where the probes of one executable find the slot of the running replay: set by its head.
struct Cell {
  Word slot;    // device address; 0: the replay is not sampled
  Word replay;  // its number
};

struct SlotHeader {
  Word replay;      // as the head was told
  Word executable;  // number
};

struct HeadArguments {
  Cell* cell;
  Word slot;  // a multiple of 16; 0: there is none from now on
  Word replay;
  Word executable;
  Word stamps;  // that follow the header, to be cleared
};

// The types whose statistics the kernels know; numbers of graphtap::Dtype (proto/dtype.h).
// kNone: hash only.
enum class Statistics : unsigned { kNone = 0, kFloat16 = 1, kBfloat16 = 2, kFloat32 = 3 };

// What one block leaves of its share of a tensor. Combined on the host in the order of the blocks.
using Record = DigestRecord;

struct Tensor {
  Word address;          // any alignment
  Word bytes;            // to digest, from the address; 0: none
  Word records;          // offset in the slot of its first Record, a multiple of 8
  Word copy_bytes;       // to copy, from the address; 0: none
  Word copy;             // offset in the slot, a multiple of 16; no byte behind the copy is touched
  unsigned statistics;   // enum Statistics
  unsigned block_bytes;  // share of one block: block b has bytes [b * block_bytes, (b + 1) *
                         // block_bytes) of both digest and copy
};

struct ProbeArguments {
  const Cell* cell;
  Word stamp;      // offset in the slot of the probe's stamp, which becomes 1 when it runs; such a
                   // probe also runs without a slot, and does nothing then. 0: none
  unsigned count;  // tensors; 0: the probe does nothing
  unsigned first_block[kTensorsPerProbe + 1];  // of each tensor; the grid's size at [count] and on
  Tensor tensors[kTensorsPerProbe];
};

// Where the elements of a tensor lie that do not lie in C order: in pieces of 1, 2, 4, 8 or 16
// bytes at addresses that are multiples of that, each found by its number in C order. The outermost
// dimension stands first; there is at least one.
inline constexpr unsigned kMostDimensions = 8;
struct Strides {
  unsigned piece_bytes;
  unsigned dimensions;
  Word sizes[kMostDimensions];    // in pieces, of the innermost
  Word strides[kMostDimensions];  // bytes, modulo 2^64
  // n / size is the high word of n * multiplier, shifted right, for all n below 2^63.
  Word multipliers[kMostDimensions];
  unsigned shifts[kMostDimensions];
};

// `bytes` and `copy_bytes` of the tensors count bytes in C order; `address` is that of the first
// element.
struct StridedArguments {
  ProbeArguments probe;
  Strides strides[kTensorsPerProbe];
};
static_assert(sizeof(StridedArguments) <= 4096);  // what a kernel can be passed

// A tensor has max(1, ceil(max(bytes, copy_bytes) / block_bytes)) blocks; a block writes its Record
// (also an empty one) only if the tensor has `bytes` to digest and its share of them is not empty,
// or if it is block 0 of a tensor of which a digest is wanted (statistics or bytes > 0).

}  // namespace graphtap::probe
