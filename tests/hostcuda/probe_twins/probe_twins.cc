// Twins of the probe kernels: the same records, block by block, by the formula of proto/digest.h.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "interpose/probe/kernels/arguments.h"
#include "proto/digest.h"
#include "proto/dtype.h"
#include "tests/hostcuda/twin.h"

namespace graphtap::probe {
namespace {

using hostcuda::Grid;

constexpr Dtype DtypeFor(Statistics statistics) {
  return static_cast<Dtype>(static_cast<unsigned>(statistics));
}
static_assert(DtypeFor(Statistics::kNone) == Dtype::kUnknown);
static_assert(DtypeFor(Statistics::kFloat16) == Dtype::kFloat16);
static_assert(DtypeFor(Statistics::kBfloat16) == Dtype::kBfloat16);
static_assert(DtypeFor(Statistics::kFloat32) == Dtype::kFloat32);

std::byte* At(Word address) {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

// The part of `length` bytes that a block has.
struct Share {
  Word first, bytes;
};
Share ShareOf(const Tensor& tensor, Word block, Word length) {
  const Word first = std::min(block * tensor.block_bytes, length);
  return {first, std::min<Word>(tensor.block_bytes, length - first)};
}

// Bytes of the tensor in C order; without strides it lies so. One index after the other, and no
// byte that is not asked for.
std::vector<std::byte> BytesOf(const Tensor& tensor, const Strides* strides, Share share) {
  std::vector<std::byte> bytes(share.bytes);
  if (strides == nullptr && share.bytes != 0) {
    std::memcpy(bytes.data(), At(tensor.address + share.first), share.bytes);
    return bytes;
  }
  for (Word i = 0; i < share.bytes; ++i) {
    Word number = (share.first + i) / strides->piece_bytes;
    Word address = tensor.address + (share.first + i) % strides->piece_bytes;
    for (unsigned d = strides->dimensions; d-- > 0;) {
      address += number % strides->sizes[d] * strides->strides[d];
      number /= strides->sizes[d];
    }
    bytes[i] = *At(address);
  }
  return bytes;
}

void Observe(const Tensor& tensor, const Strides* strides, Word block, Dtype dtype, Word slot) {
  const Share copy = ShareOf(tensor, block, tensor.copy_bytes);
  if (copy.bytes != 0) {
    const auto copied = BytesOf(tensor, strides, copy);
    std::memcpy(At(slot + tensor.copy + copy.first), copied.data(), copy.bytes);
  }
  const Share share = ShareOf(tensor, block, tensor.bytes);
  const bool wanted =
      tensor.bytes != 0 || tensor.statistics != static_cast<unsigned>(Statistics::kNone);
  if (share.bytes == 0 && !(block == 0 && wanted)) return;
  const auto bytes = BytesOf(tensor, strides, share);
  const Record record = RecordOf(bytes, share.first / kDigestLaneBytes, dtype);
  std::memcpy(At(slot + tensor.records + block * sizeof(Record)), &record, sizeof(record));
}

// `strides`: of each tensor; nullptr: all lie in C order.
void Probe(const Grid& grid, const ProbeArguments& arguments, bool statistics,
           const Strides* strides = nullptr) {
  const Word slot = arguments.count == 0 ? 0 : arguments.cell->slot;
  if (arguments.stamp != 0 && slot == 0) return;
  const Word ran = 1;
  if (arguments.stamp != 0) std::memcpy(At(slot + arguments.stamp), &ran, sizeof ran);
  for (unsigned i = 0; i < arguments.count; ++i) {
    const Tensor& tensor = arguments.tensors[i];
    const Dtype dtype =
        statistics ? DtypeFor(static_cast<Statistics>(tensor.statistics)) : Dtype::kUnknown;
    const unsigned end = std::min(arguments.first_block[i + 1], grid.grid.x);
    for (unsigned block = arguments.first_block[i]; block < end; ++block) {
      const Strides* of_tensor = strides == nullptr ? nullptr : strides + i;
      Observe(tensor, of_tensor, block - arguments.first_block[i], dtype, slot);
    }
  }
}

void Head(const Grid&, HeadArguments arguments) {
  *arguments.cell = {arguments.slot, arguments.replay};
  if (arguments.slot == 0) return;
  const SlotHeader header{arguments.replay, arguments.executable};
  std::memcpy(At(arguments.slot), &header, sizeof(header));
  std::memset(At(arguments.slot + sizeof header), 0, arguments.stamps * sizeof(Word));
}

void Hash(const Grid& grid, ProbeArguments arguments) { Probe(grid, arguments, false); }
void Digests(const Grid& grid, ProbeArguments arguments) { Probe(grid, arguments, true); }
void Strided(const Grid& grid, StridedArguments arguments) {
  Probe(grid, arguments.probe, true, arguments.strides);
}

const hostcuda::Twin head("graphtap_head", &Head);
const hostcuda::Twin hash("graphtap_hash", &Hash);
const hostcuda::Twin digest("graphtap_digest", &Digests);
const hostcuda::Twin strided("graphtap_strided", &Strided);

}  // namespace
}  // namespace graphtap::probe
