// Digest record: what is known of one block of a tensor's bytes, on the way to its digest. The
// probe kernels leave it in device memory; digest.h combines the records of a tensor. Owner: none.
// Threads: plain values. Failure: none. Units: elements.
// Without a standard header: it is compiled for GPUs too.
#pragma once

namespace graphtap {

struct DigestRecord {
  unsigned long long hash;  // LaneSum() of the block
  double sum;               // of finite elements
  double squares;           // of finite elements
  unsigned max_key;         // OrderedKey() of the greatest finite element; 0: none
  unsigned min_key;         // complement of the OrderedKey() of the least; 0: none
  unsigned nan, positive_infinity, negative_infinity, zero;  // how many elements
};
static_assert(sizeof(DigestRecord) == 48);

}  // namespace graphtap
