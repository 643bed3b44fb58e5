#include "tests/gpu/probe/cases.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <limits>
#include <random>

#include "interpose/probe/kernels/block_size.h"

namespace probe_test {
namespace {

using graphtap::Dtype;

constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::array kSizes{std::size_t{0},    std::size_t{1},    std::size_t{2},
                            std::size_t{3},    std::size_t{4},    std::size_t{15},
                            std::size_t{16},   std::size_t{17},   std::size_t{18},
                            std::size_t{30},   std::size_t{100},  std::size_t{4095},
                            std::size_t{4096}, std::size_t{4097}, 64 * kKiB - 1,
                            64 * kKiB,         64 * kKiB + 1,     kMiB,
                            3 * kMiB + 6,      8 * kMiB};
constexpr std::array kDtypes{Dtype::kUnknown, Dtype::kFloat16, Dtype::kBfloat16, Dtype::kFloat32};
constexpr std::array kData{Data::kNormal, Data::kSpecial, Data::kZero,     Data::kNan,
                           Data::kTiny,   Data::kHuge,    Data::kConstant, Data::kOffset};
constexpr std::array<std::size_t, 6> kCopyLengths{0, 1, 16, 100, 4097, 70001};

// The nearest value of a type with fewer bits of mantissa; for values in the type's normal range.
unsigned BitsOf(float value, Dtype dtype) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (dtype == Dtype::kBfloat16) return bits >> 16;
  if (dtype != Dtype::kFloat16) return bits;
  const unsigned sign = bits >> 16 & 0x8000;
  const float magnitude = std::fabs(value);
  if (magnitude < 0x1p-14f) return sign | static_cast<unsigned>(magnitude * 0x1p24f);
  if (magnitude > 65504) return sign | 0x7bff;
  return sign | ((std::bit_cast<std::uint32_t>(magnitude) - 0x38000000) >> 13);
}

// Infinities, NaNs, zeros, and the finite values at the ends of the range, by their bits.
unsigned Special(Dtype dtype, unsigned which) {
  constexpr std::array<unsigned, 10> kFloat32{0x7f800000, 0xff800000, 0x7fc00000, 0xff800001,
                                              0x00000000, 0x80000000, 0x7f7fffff, 0xff7fffff,
                                              0x00000001, 0x807fffff};
  constexpr std::array<unsigned, 10> kFloat16{0x7c00, 0xfc00, 0x7e00, 0xfc01, 0x0000,
                                              0x8000, 0x7bff, 0xfbff, 0x0001, 0x83ff};
  if (dtype == Dtype::kFloat16) return kFloat16[which % 10];
  const unsigned bits = kFloat32[which % 10];
  if (dtype != Dtype::kBfloat16) return bits;
  return bits == 0xff800001 ? 0xff81 : bits == 1 ? 1 : bits >> 16;
}

float Scale(Data data, Dtype dtype) {
  const bool half = dtype == Dtype::kFloat16;
  if (data == Data::kTiny) return half ? 1e-7f : 1e-30f;
  if (data == Data::kHuge) return half ? 15000.0f : 1e37f;
  return 1;
}

// One element's bits. Different parts of a tensor differ, so that no warp is like the others.
unsigned Element(const Case& one, std::mt19937& random, const std::vector<float>& normal) {
  const unsigned draw = random();
  const float value = normal[draw % normal.size()];
  switch (one.data) {
    case Data::kZero:
      return draw % 2 == 0 ? 0 : BitsOf(-0.0f, one.dtype);
    case Data::kNan:
      return Special(one.dtype, 2 + draw % 2);
    case Data::kConstant:
      return BitsOf(0.1f, one.dtype);
    case Data::kOffset:
      return BitsOf(100 + value, one.dtype);
    case Data::kSpecial:
      if (draw % 1009 < 7) return Special(one.dtype, draw / 1009);
      return BitsOf(value, one.dtype);
    default:
      return BitsOf(value * Scale(one.data, one.dtype), one.dtype);
  }
}

void AddSizes(std::vector<Case>& cases) {
  for (std::size_t bytes : kSizes) {
    for (Dtype dtype : kDtypes) {
      for (Data data : kData) {
        if (dtype == Dtype::kUnknown && data != Data::kNormal && data != Data::kZero) continue;
        const bool few = data != Data::kNormal && data != Data::kSpecial && data != Data::kConstant;
        if (few && bytes > kMiB) continue;
        const std::size_t index = cases.size();
        const std::size_t alignment = index % 3 == 0 ? index / 3 % 16 : 0;
        const std::size_t copy = index % 2 == 0 ? std::min(kCopyLengths[index / 2 % 6], bytes) : 0;
        cases.push_back({bytes, copy, alignment, dtype, data, graphtap::probe::BlockBytes(bytes)});
      }
    }
  }
}

void AddAlignments(std::vector<Case>& cases) {
  for (std::size_t alignment = 0; alignment < 16; ++alignment) {
    for (Dtype dtype : kDtypes) {
      for (std::size_t bytes : {std::size_t{100}, 5 * kKiB + 3, 65 * kKiB}) {
        const Data data = cases.size() % 2 == 0 ? Data::kNormal : Data::kSpecial;
        cases.push_back({bytes, bytes, alignment, dtype, data, 4096});
      }
    }
  }
}

void AddBlockSizes(std::vector<Case>& cases) {
  for (std::size_t bytes : {66 * kKiB + 10, kMiB + 50 * kKiB + 8}) {
    for (unsigned block_bytes = 4096; block_bytes <= 131072; block_bytes *= 2) {
      for (Dtype dtype : kDtypes) {
        for (Data data : {Data::kNormal, Data::kConstant, Data::kSpecial}) {
          cases.push_back({bytes, bytes / 4, 0, dtype, data, block_bytes});
        }
      }
    }
  }
}

// Copies alone, and copies that reach farther than the digest.
void AddCopies(std::vector<Case>& cases) {
  for (std::size_t copy : {1u, 15u, 16u, 17u, 4095u, 4096u, 4097u, 70001u, 1048576u}) {
    for (std::size_t alignment : {0u, 1u, 2u, 4u, 8u}) {
      cases.push_back({0, copy, alignment, Dtype::kUnknown, Data::kNormal, 4096});
      cases.push_back({0, copy, alignment, Dtype::kFloat32, Data::kNormal, 8192});
      cases.push_back({33, copy, alignment, Dtype::kFloat16, Data::kNormal, 4096});
    }
  }
}

}  // namespace

std::string Case::Describe() const {
  constexpr std::array<const char*, 8> kNames{"normal", "special", "zero",     "nan",
                                              "tiny",   "huge",    "constant", "offset"};
  std::string where;
  for (const Axis& axis : axes) {
    where += ", " + std::to_string(axis.size) + " at " + std::to_string(axis.stride);
  }
  if (!axes.empty()) where += ", items of " + std::to_string(item);
  return std::to_string(bytes) + " bytes, copy " + std::to_string(copy_bytes) + ", alignment " +
         std::to_string(alignment) + ", " + std::string(graphtap::DtypeName(dtype)) + ", " +
         kNames[static_cast<std::size_t>(data)] + ", blocks of " + std::to_string(block_bytes) +
         where;
}

std::vector<Case> CasesWithin(const Limits& limits) {
  std::vector<Case> cases;
  AddSizes(cases);
  AddAlignments(cases);
  AddBlockSizes(cases);
  AddCopies(cases);
  return Within(std::move(cases), limits);
}

std::vector<Case> Within(std::vector<Case> cases, const Limits& limits) {
  std::erase_if(cases, [&](const Case& one) { return one.extent() > limits.most_bytes; });
  if (cases.size() <= limits.most_cases) return cases;
  std::vector<Case> sample;
  std::ranges::sample(cases, std::back_inserter(sample),
                      static_cast<std::ptrdiff_t>(limits.most_cases), std::mt19937(1));
  return sample;
}

std::vector<std::byte> BytesFor(const Case& one) {
  static const auto kNormal = [] {
    std::mt19937 random(1);
    std::normal_distribution<float> distribution;
    std::vector<float> values(9973);
    for (float& value : values) value = distribution(random);
    return values;
  }();
  std::mt19937 random(static_cast<unsigned>(one.bytes * 31 + one.alignment));
  std::vector<std::byte> bytes(one.extent());
  const std::size_t size = std::max<std::size_t>(graphtap::DtypeBytes(one.dtype), 1);
  for (std::size_t at = 0; at < bytes.size(); at += size) {
    const unsigned bits = Element(one, random, kNormal);
    std::memcpy(bytes.data() + at, &bits, std::min(size, bytes.size() - at));
  }
  return bytes;
}

}  // namespace probe_test
