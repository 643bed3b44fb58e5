// Stands in for the file of this name when device code is run on a CPU.
#pragma once

#include <bit>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "interpose/probe/kernels/arguments.h"
#include "proto/element.h"

namespace graphtap::probe {

inline void* At(Word address, unsigned alignment) {
  if (address % alignment != 0) std::abort();
  return std::bit_cast<void*>(address);
}

inline void LoadWords(Word address, unsigned (&words)[4]) {
  std::memcpy(words, At(address, sizeof(words)), sizeof(words));
}

inline void StoreWords(Word address, const unsigned (&words)[4]) {
  std::memcpy(At(address, sizeof(words)), words, sizeof(words));
}

inline float Float16Low(unsigned pair) { return FromFloat16(pair & 0xffff); }
inline float Float16High(unsigned pair) { return FromFloat16(pair >> 16); }

// Of a whole number that is small enough to be exact.
inline unsigned ToFloat16(float value) {
  const unsigned bits = std::bit_cast<unsigned>(value);
  return bits == 0 ? 0 : (bits - (112u << 23)) >> 13;
}

inline unsigned AddFloat16Pairs(unsigned a, unsigned b) {
  return ToFloat16(Float16Low(a) + Float16Low(b)) | ToFloat16(Float16High(a) + Float16High(b))
                                                        << 16;
}

inline unsigned Float16PairIsZero(unsigned pair) {
  return ToFloat16(Float16Low(pair) == 0) | ToFloat16(Float16High(pair) == 0) << 16;
}

// The half that is chosen by `first_is`, or the one that is not NaN.
template <typename Convert, typename Compare>
unsigned Choose(unsigned a, unsigned b, Convert convert, Compare first_is) {
  const float x = convert(a), y = convert(b);
  if (std::isnan(x)) return b;
  return std::isnan(y) || first_is(x, y) ? a : b;
}

template <typename Convert, typename Compare>
unsigned ChoosePairs(unsigned a, unsigned b, Convert convert, Compare first_is) {
  return Choose(a & 0xffff, b & 0xffff, convert, first_is) |
         Choose(a >> 16, b >> 16, convert, first_is) << 16;
}

inline unsigned MinFloat16Pairs(unsigned a, unsigned b) {
  return ChoosePairs(a, b, FromFloat16, std::less<float>());
}
inline unsigned MaxFloat16Pairs(unsigned a, unsigned b) {
  return ChoosePairs(a, b, FromFloat16, std::greater<float>());
}
inline unsigned MinBfloat16Pairs(unsigned a, unsigned b) {
  return ChoosePairs(a, b, FromBfloat16, std::less<float>());
}
inline unsigned MaxBfloat16Pairs(unsigned a, unsigned b) {
  return ChoosePairs(a, b, FromBfloat16, std::greater<float>());
}

}  // namespace graphtap::probe
