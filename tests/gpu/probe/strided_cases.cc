// Tensors that do not lie in C order: transposed, of rows with gaps, of every second element,
// expanded, overlapping, backwards, of one to eight dimensions that cannot be made fewer.
#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "interpose/probe/kernels/block_size.h"
#include "tests/gpu/probe/cases.h"

namespace probe_test {
namespace {

using graphtap::Dtype;
using Axes = std::vector<Axis>;

// The dimensions of a dense tensor in another order: `order` names them from the outermost in
// memory to the innermost.
Axes Permuted(const std::vector<std::size_t>& sizes, const std::vector<std::size_t>& order) {
  Axes axes(sizes.size());
  std::ptrdiff_t stride = 1;
  for (std::size_t i = order.size(); i-- > 0;) {
    axes[order[i]] = {sizes[order[i]], stride};
    stride *= static_cast<std::ptrdiff_t>(sizes[order[i]]);
  }
  return axes;
}

const std::vector<Axes>& Layouts() {
  static const std::vector<Axes> kLayouts = {
      Permuted({3, 5}, {1, 0}),
      Permuted({129, 67}, {1, 0}),
      Permuted({1030, 257}, {1, 0}),
      Permuted({2, 3, 17, 19}, {0, 2, 3, 1}),      // channels last
      Permuted({2, 8, 3, 9, 7}, {0, 2, 3, 4, 1}),  // in three dimensions of space
      Permuted({3, 4, 5, 6}, {0, 2, 1, 3}),        // heads of attention
      Permuted({2, 2, 2, 3, 2, 2, 2, 3}, {7, 5, 3, 1, 6, 4, 2, 0}),
      {{1000, 2}},  // every second element
      {{1, 7}, {5001, 3}, {1, 1}},
      {{33, 64}, {32, 1}},  // rows of whole lanes with gaps
      {{50, 40}, {20, 1}},
      {{41, 23}, {7, 1}},
      {{12, 100}, {10, 20}, {9, 2}},  // every second of rows and columns
      {{700, 0}, {9, 1}},             // expanded
      {{9, 1}, {700, 0}},
      {{5, 0}, {3, 1}, {4, 0}, {6, 3}},
      {{3000, 0}},
      {{500, 1}, {16, 1}},  // windows that overlap
      {{100, -1}},
      {{20, 30}, {30, -1}},
      {{6, -200}, {10, 17}, {3, 2}},
      {{70000, 3}},
      {{2, 200000}, {65537, 2}},
  };
  return kLayouts;
}

struct Item {
  std::size_t bytes;
  Dtype dtype;
};
constexpr std::array kItems{Item{1, Dtype::kUnknown},  Item{2, Dtype::kFloat16},
                            Item{2, Dtype::kBfloat16}, Item{4, Dtype::kFloat32},
                            Item{8, Dtype::kUnknown},  Item{16, Dtype::kUnknown},
                            Item{12, Dtype::kUnknown}};

std::size_t CountOf(const Axes& axes) {
  std::size_t count = 1;
  for (const Axis& axis : axes) count *= axis.size;
  return count;
}

// Where in memory each element is, in elements from the first.
std::vector<std::ptrdiff_t> OffsetsOf(const Axes& axes) {
  std::vector<std::ptrdiff_t> offsets = {0};
  for (const Axis& axis : axes) {
    std::vector<std::ptrdiff_t> inner;
    for (const std::ptrdiff_t offset : offsets) {
      for (std::size_t i = 0; i < axis.size; ++i) {
        inner.push_back(offset + static_cast<std::ptrdiff_t>(i) * axis.stride);
      }
    }
    offsets = std::move(inner);
  }
  return offsets;
}

void AddLayout(const Axes& axes, const Item& item, std::vector<Case>& cases) {
  constexpr std::array kData{Data::kNormal, Data::kSpecial, Data::kNan, Data::kHuge, Data::kTiny};
  const bool in_pieces = item.bytes == 12;
  if (in_pieces && axes.size() == graphtap::probe::kMostDimensions) return;
  const std::size_t bytes = CountOf(axes) * item.bytes, index = cases.size();
  Case one{bytes,      0,   0, item.dtype, Data::kNormal, graphtap::probe::BlockBytes(bytes),
           item.bytes, axes};
  one.data = item.dtype == Dtype::kUnknown ? Data::kNormal : kData[index % kData.size()];
  one.copy_bytes = std::array{std::size_t{0}, bytes, std::min(bytes, 5 * index)}[index % 3];
  if (index % 4 == 1) one.block_bytes = 8192;
  cases.push_back(one);
  one.alignment = item.bytes * (1 + index % 5);  // as an offset in a storage has it
  cases.push_back(one);
  // Any; elements in several pieces have one dimension more.
  if (axes.size() < graphtap::probe::kMostDimensions) one.alignment = 1 + index % 7;
  cases.push_back(one);
  if (index % 2 == 0) return;
  one.bytes = 0;  // copied, and that is all
  one.copy_bytes = bytes;
  cases.push_back(one);
}

}  // namespace

std::vector<Case> StridedCasesWithin(const Limits& limits) {
  std::vector<Case> cases;
  for (const Axes& axes : Layouts()) {
    for (const Item& item : kItems) AddLayout(axes, item, cases);
  }
  return Within(std::move(cases), limits);
}

Placement Place(const Case& one, std::vector<std::byte>* bytes) {
  if (one.axes.empty()) return {*bytes, 0};
  const auto offsets = OffsetsOf(one.axes);
  const auto [first, last] = std::ranges::minmax(offsets);
  Placement placement{std::vector<std::byte>(
                          (static_cast<std::size_t>(last - first) + 1) * one.item, std::byte{0xc3}),
                      static_cast<std::size_t>(-first) * one.item};
  const auto element = [&, least = first](std::size_t i) {
    return placement.memory.data() + static_cast<std::size_t>(offsets[i] - least) * one.item;
  };
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::memcpy(element(i), bytes->data() + i * one.item, one.item);
  }
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    std::memcpy(bytes->data() + i * one.item, element(i), one.item);
  }
  return placement;
}

}  // namespace probe_test
