#include "proto/digest.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "proto/element.h"

namespace graphtap {
namespace {

__extension__ using Wide = unsigned __int128;

constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
constexpr std::uint64_t kLowStart = 0x243F6A8885A308D3;
constexpr std::uint64_t kHighStart = 0x13198A2E03707344;
constexpr std::uint64_t kLengthFactor = 0xD1B54A32D192ED03;
constexpr std::uint32_t kSign = 0x80000000;

static_assert(std::endian::native == std::endian::little);

std::uint64_t MixLane(const std::byte* lane, std::uint64_t number) noexcept {
  std::uint64_t low = 0, high = 0;
  std::memcpy(&low, lane, sizeof(low));
  std::memcpy(&high, lane + sizeof(low), sizeof(high));
  const std::uint64_t k = number * kStep;
  const Wide product = static_cast<Wide>(low ^ (kLowStart + k)) * (high ^ (kHighStart - k));
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

void AddElement(double value, DigestRecord& record) noexcept {
  if (std::isnan(value)) {
    ++record.nan;
  } else if (std::isinf(value)) {
    ++(value > 0 ? record.positive_infinity : record.negative_infinity);
  } else {
    record.sum += value;
    record.squares += value * value;
    const std::uint32_t key = OrderedKey(value == 0 ? 0.0f : static_cast<float>(value));
    record.max_key = std::max(record.max_key, key);
    record.min_key = std::max(record.min_key, ~key);
    if (value == 0) ++record.zero;
  }
}

// The bounds hold for the exact values; with them a tensor of equal elements has deviation 0.
FiniteStatistics OfFinite(const DigestRecord& total, double count) noexcept {
  FiniteStatistics finite;
  finite.minimum = FromOrderedKey(~total.min_key);
  finite.maximum = FromOrderedKey(total.max_key);
  finite.mean = std::clamp(total.sum / count, finite.minimum, finite.maximum);
  const double variance = total.squares / count - finite.mean * finite.mean;
  finite.deviation =
      std::min(std::sqrt(std::max(variance, 0.0)), (finite.maximum - finite.minimum) / 2);
  finite.l2 = std::sqrt(total.squares);
  return finite;
}

}  // namespace

std::uint64_t LaneSum(std::span<const std::byte> bytes, std::uint64_t first_lane) noexcept {
  std::uint64_t sum = 0;
  const std::size_t whole = bytes.size() / kDigestLaneBytes;
  for (std::size_t i = 0; i < whole; ++i) {
    sum += MixLane(bytes.data() + i * kDigestLaneBytes, first_lane + i);
  }
  const auto rest = bytes.subspan(whole * kDigestLaneBytes);
  if (rest.empty()) return sum;
  std::byte last[kDigestLaneBytes] = {};
  std::copy(rest.begin(), rest.end(), last);
  return sum + MixLane(last, first_lane + whole);
}

std::uint64_t FinishHash(std::uint64_t sum, std::uint64_t length) noexcept {
  std::uint64_t x = sum + length * kLengthFactor;
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccd;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53;
  return x ^ x >> 33;
}

bool HasRecordStatistics(Dtype dtype) noexcept {
  return dtype == Dtype::kFloat16 || dtype == Dtype::kBfloat16 || dtype == Dtype::kFloat32;
}

Digest Combine(std::span<const DigestRecord> records, std::uint64_t length, Dtype dtype) noexcept {
  DigestRecord total{};
  TensorStatistics statistics;
  for (const DigestRecord& record : records) {
    total.hash += record.hash;
    total.sum += record.sum;
    total.squares += record.squares;
    total.max_key = std::max(total.max_key, record.max_key);
    total.min_key = std::max(total.min_key, record.min_key);
    statistics.nan += record.nan;
    statistics.positive_infinity += record.positive_infinity;
    statistics.negative_infinity += record.negative_infinity;
    statistics.zero += record.zero;
  }
  Digest digest{FinishHash(total.hash, length), std::nullopt};
  if (!HasRecordStatistics(dtype)) return digest;
  statistics.elements = length / DtypeBytes(dtype);
  statistics.finite = statistics.elements - statistics.nan - statistics.positive_infinity -
                      statistics.negative_infinity;
  if (statistics.finite != 0) {
    statistics.of_finite = OfFinite(total, static_cast<double>(statistics.finite));
  }
  digest.statistics = statistics;
  return digest;
}

DigestRecord RecordOf(std::span<const std::byte> bytes, std::uint64_t first_lane,
                      Dtype dtype) noexcept {
  DigestRecord record{};
  record.hash = LaneSum(bytes, first_lane);
  if (!HasRecordStatistics(dtype)) return record;
  ForElements(bytes, dtype, [&record](double value) { AddElement(value, record); });
  return record;
}

std::uint32_t OrderedKey(float value) noexcept {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return (bits & kSign) != 0 ? ~bits : bits | kSign;
}

float FromOrderedKey(std::uint32_t key) noexcept {
  return std::bit_cast<float>((key & kSign) != 0 ? key ^ kSign : ~key);
}

}  // namespace graphtap
