#include "interpose/probe/shape.h"

#include <algorithm>
#include <bit>

namespace graphtap::probe {
namespace {

constexpr std::uint64_t kMostPieceBytes = 16;
// More than there is to address; sums of a few of these stay far from the limits of 64 bits.
constexpr std::int64_t kMostReach = std::int64_t{1} << 57;

// Puts a dimension inside the others, or makes one of it and the one around it.
bool AddInside(std::uint64_t size, std::int64_t stride, std::vector<Dimension>* dimensions) {
  if (size == 1) return true;
  std::int64_t reach = 0;
  if (__builtin_mul_overflow(size, stride, &reach)) return false;
  if (reach > kMostReach || reach < -kMostReach) return false;
  if (!dimensions->empty() && dimensions->back().stride == reach) {
    Dimension& outer = dimensions->back();
    outer.stride = stride;
    return !__builtin_mul_overflow(outer.size, size, &outer.size);
  }
  dimensions->push_back({size, stride});
  return true;
}

// Two pieces at a time, where all lie so that they can be read at once.
void Widen(std::uint64_t address, Shape* shape) {
  auto& dimensions = shape->dimensions;
  while (shape->piece_bytes < kMostPieceBytes && !dimensions.empty()) {
    const std::uint64_t wide = 2 * std::uint64_t{shape->piece_bytes};
    Dimension& inner = dimensions.back();
    std::uint64_t odd = address | inner.size * shape->piece_bytes;
    for (std::size_t i = 0; i + 1 < dimensions.size(); ++i) {
      odd |= static_cast<std::uint64_t>(dimensions[i].stride);
    }
    if (inner.stride != shape->piece_bytes || odd % wide != 0) return;
    shape->piece_bytes *= 2;
    inner.size /= 2;
    inner.stride *= 2;
    if (inner.size == 1) dimensions.pop_back();
  }
}

bool InCOrder(const Shape& shape) {
  const auto& dimensions = shape.dimensions;
  return dimensions.empty() ||
         (dimensions.size() == 1 && dimensions[0].stride == shape.piece_bytes);
}

}  // namespace

std::optional<Shape> ShapeOf(const record::Tensor& tensor) {
  std::uint64_t elements = 1;
  for (const std::int64_t size : tensor.sizes) {
    if (size <= 0 || __builtin_mul_overflow(elements, size, &elements)) return std::nullopt;
  }
  const std::uint64_t item = tensor.bytes / elements;
  const bool counted = item > 0 && item <= INT64_MAX / elements && item * elements == tensor.bytes;
  if (!counted) return std::nullopt;
  Shape shape;
  const std::uint64_t aligned = std::uint64_t{1} << std::countr_zero(tensor.address | item);
  shape.piece_bytes = static_cast<std::uint32_t>(std::min(aligned, kMostPieceBytes));
  for (std::size_t i = 0; i < tensor.sizes.size(); ++i) {
    std::int64_t stride = 0;
    if (__builtin_mul_overflow(tensor.strides[i], item, &stride)) return std::nullopt;
    const auto size = static_cast<std::uint64_t>(tensor.sizes[i]);
    if (!AddInside(size, stride, &shape.dimensions)) return std::nullopt;
  }
  if (!AddInside(item / shape.piece_bytes, shape.piece_bytes, &shape.dimensions)) {
    return std::nullopt;
  }
  Widen(tensor.address, &shape);
  if (InCOrder(shape)) return Shape{};
  if (shape.dimensions.size() > kMostDimensions) return std::nullopt;
  return shape;
}

Memory MemoryOf(const Shape& shape, std::uint64_t address, std::uint64_t bytes) {
  if (shape.dimensions.empty()) return {address, bytes};
  std::int64_t before = 0, behind = shape.piece_bytes;
  for (const Dimension& dimension : shape.dimensions) {
    const auto last = static_cast<std::int64_t>(dimension.size - 1) * dimension.stride;
    (last < 0 ? before : behind) += last;
  }
  return {address + static_cast<std::uint64_t>(before),
          static_cast<std::uint64_t>(behind - before)};
}

// A multiplier is 2^(64 + shift) / size, rounded up, with 2^shift < size <= 2^(shift + 1): it has
// 64 bits. Rounding adds less than n * size / 2^(64 + shift) / size to the quotient, which is less
// than 1 / size for n below 2^63: too little to reach the next whole number.
Strides StridesOf(const Shape& shape) {
  __extension__ using Wide = unsigned __int128;
  Strides strides{};
  strides.piece_bytes = shape.piece_bytes;
  strides.dimensions = static_cast<unsigned>(shape.dimensions.size());
  for (unsigned d = 0; d < strides.dimensions; ++d) {
    const Dimension& dimension = shape.dimensions[d];
    strides.sizes[d] = dimension.size;
    strides.strides[d] = static_cast<Word>(dimension.stride);
    strides.shifts[d] = static_cast<unsigned>(std::bit_width(dimension.size - 1)) - 1;
    const Wide dividend = Wide{1} << (64 + strides.shifts[d]);
    strides.multipliers[d] = static_cast<Word>((dividend + dimension.size - 1) / dimension.size);
  }
  return strides;
}

}  // namespace graphtap::probe
