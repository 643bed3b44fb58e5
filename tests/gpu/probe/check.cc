#include "tests/gpu/probe/check.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/block_size.h"
#include "interpose/probe/shape.h"
#include "proto/digest.h"
#include "tests/gpu/probe/cases.h"

namespace probe_test {
namespace {

using graphtap::Digest;
using graphtap::DigestRecord;
using graphtap::FiniteStatistics;
using graphtap::TensorStatistics;
namespace probe = graphtap::probe;

constexpr std::byte kUntouched{0xa5};
constexpr std::size_t kGap = 40;  // between the parts of a slot: records lie at odd multiples of 8
constexpr double kMaxError = 1e-6;
constexpr double kMaxVarianceError = 3e-6;

// A tensor of a case: on the GPU, on the host, where its results lie in the slot, and what they
// are.
struct Placed {
  const Case* one;
  std::vector<std::byte> bytes;
  Memory memory;
  probe::Tensor tensor{};
  probe::Strides strides{};  // where it does not lie in C order
  std::vector<DigestRecord> records{};
  Digest digest{};
};

std::size_t RoundUp(std::size_t value, std::size_t to) { return (value + to - 1) / to * to; }

void Expect(Placed& placed) {
  const auto bytes = std::span<const std::byte>(placed.bytes).first(placed.one->bytes);
  const std::size_t size = placed.tensor.block_bytes;
  for (std::size_t block = 0; block < probe::RecordCount(placed.tensor); ++block) {
    const std::size_t first = block * size;
    placed.records.push_back(
        graphtap::RecordOf(bytes.subspan(first, std::min(size, bytes.size() - first)),
                           first / graphtap::kDigestLaneBytes, placed.one->dtype));
  }
  placed.digest = graphtap::DigestOf(bytes, placed.one->dtype);
}

// As an operator's tensor would be told of.
probe::Strides StridesFor(const Case& one, CUdeviceptr address) {
  graphtap::record::Tensor tensor;
  tensor.address = address;
  tensor.bytes = one.extent();
  for (const Axis& axis : one.axes) {
    tensor.sizes.push_back(static_cast<std::int64_t>(axis.size));
    tensor.strides.push_back(axis.stride);
  }
  const auto shape = probe::ShapeOf(tensor);
  if (shape && !shape->dimensions.empty()) return probe::StridesOf(*shape);
  std::fprintf(stderr, "probe_kernels: no strides: %s\n", one.Describe().c_str());
  std::exit(1);
}

Placed Put(const Case& one, std::size_t& end) {
  std::vector<std::byte> bytes = BytesFor(one);
  const Placement placement = Place(one, &bytes);
  Placed placed{&one, std::move(bytes), Memory(one.alignment + placement.memory.size())};
  placed.memory.Write(one.alignment, placement.memory);
  probe::Tensor& tensor = placed.tensor;
  tensor.address = placed.memory.address() + one.alignment + placement.origin;
  if (!one.axes.empty()) placed.strides = StridesFor(one, tensor.address);
  tensor.bytes = one.bytes;
  tensor.copy_bytes = one.copy_bytes;
  tensor.statistics = static_cast<unsigned>(one.dtype);
  tensor.block_bytes = one.block_bytes;
  tensor.records = RoundUp(end, 8);
  end = tensor.records + probe::RecordCount(tensor) * sizeof(probe::Record) + kGap;
  tensor.copy = RoundUp(end, 16);
  end = tensor.copy + tensor.copy_bytes + kGap;
  Expect(placed);
  return placed;
}

// One launch of a probe with up to eight tensors, and what it left.
class Probe {
 public:
  Probe(const Gpu& gpu, std::span<const Case> cases) : gpu_(gpu) {
    std::size_t end = sizeof(probe::SlotHeader) + kGap;
    auto& probe = arguments_.probe;
    probe.count = static_cast<unsigned>(cases.size());
    unsigned blocks = 0;
    for (const Case& one : cases) {
      const std::size_t index = placed_.size();
      placed_.push_back(Put(one, end));
      probe.tensors[index] = placed_.back().tensor;
      arguments_.strides[index] = placed_.back().strides;
      probe.first_block[index] = blocks;
      blocks += static_cast<unsigned>(probe::BlockCount(placed_.back().tensor));
    }
    std::fill(probe.first_block + cases.size(), std::end(probe.first_block), blocks);
    slot_bytes_ = end;
  }

  // The slot after head and probe have run.
  std::vector<std::byte> Run(CUfunction head, CUfunction function, std::uint64_t replay) {
    Memory slot(slot_bytes_), cell(sizeof(probe::Cell));
    slot.Write(0, std::vector<std::byte>(slot_bytes_, kUntouched));
    probe::HeadArguments of_head{reinterpret_cast<probe::Cell*>(cell.address()), slot.address(),
                                 replay, replay + 1, 0};
    arguments_.probe.cell = of_head.cell;
    gpu_.Launch({head, 1, 1, {&of_head}});
    const unsigned blocks = std::max(arguments_.probe.first_block[arguments_.probe.count], 1u);
    gpu_.Launch({function, blocks, probe::kProbeThreads, {&arguments_}});
    gpu_.Wait();
    probe::Cell told{};
    const auto left = cell.Read(0, sizeof(told));
    std::memcpy(&told, left.data(), sizeof(told));
    cell_holds_ = told.slot == slot.address() && told.replay == replay;
    return slot.Read(0, slot_bytes_);
  }

  const std::vector<Placed>& placed() const { return placed_; }
  bool cell_holds() const { return cell_holds_; }

 private:
  const Gpu& gpu_;
  std::vector<Placed> placed_;
  probe::StridedArguments arguments_{};  // of which most kernels take the first part
  std::size_t slot_bytes_ = 0;
  bool cell_holds_ = false;
};

bool SameCounts(const DigestRecord& a, const DigestRecord& b) {
  return a.hash == b.hash && a.max_key == b.max_key && a.min_key == b.min_key && a.nan == b.nan &&
         a.positive_infinity == b.positive_infinity && a.negative_infinity == b.negative_infinity &&
         a.zero == b.zero;
}

// Keeps the greatest errors; false if one is too large or an exact value differs.
bool Compare(const Digest& found, const Digest& expected, CheckResult& result) {
  if (found.hash != expected.hash || !found.statistics != !expected.statistics) return false;
  if (!expected.statistics) return true;
  const TensorStatistics &a = *found.statistics, &b = *expected.statistics;
  if (a.elements != b.elements || a.finite != b.finite || a.nan != b.nan ||
      a.positive_infinity != b.positive_infinity || a.negative_infinity != b.negative_infinity ||
      a.zero != b.zero || !a.of_finite != !b.of_finite) {
    return false;
  }
  if (!b.of_finite) return true;
  const FiniteStatistics &x = *a.of_finite, &y = *b.of_finite;
  if (x.minimum != y.minimum || x.maximum != y.maximum) return false;
  const double rms = y.l2 / std::sqrt(static_cast<double>(b.finite));
  if (rms == 0) return x.mean == 0 && x.l2 == 0 && x.deviation == 0;
  const double mean = std::fabs(x.mean - y.mean) / rms, l2 = std::fabs(x.l2 - y.l2) / y.l2;
  const double variance =
      std::fabs(x.deviation / rms * (x.deviation / rms) - y.deviation / rms * (y.deviation / rms));
  result.mean_error = std::max(result.mean_error, mean);
  result.l2_error = std::max(result.l2_error, l2);
  result.variance_error = std::max(result.variance_error, variance);
  return mean <= kMaxError && l2 <= kMaxError && variance <= kMaxVarianceError;
}

// Of a hash nothing but the hash is left.
DigestRecord OnlyHash(const DigestRecord& record) {
  DigestRecord hash{};
  hash.hash = record.hash;
  return hash;
}

// What is wrong with a tensor's records and copy; nullptr: nothing. Marks their bytes as seen.
const char* Examine(const Placed& placed, bool digest, std::vector<std::byte>& slot,
                    CheckResult& result) {
  const probe::Tensor& tensor = placed.tensor;
  std::vector<DigestRecord> records(placed.records.size());
  std::memcpy(records.data(), slot.data() + tensor.records, records.size() * sizeof(DigestRecord));
  for (std::size_t block = 0; block < records.size(); ++block) {
    const DigestRecord& expected = placed.records[block];
    if (!SameCounts(records[block], digest ? expected : OnlyHash(expected))) {
      return "a record differs";
    }
    const bool sums = records[block].sum != 0 || records[block].squares != 0;
    if (!digest && sums) return "a hash has sums";
  }
  if (digest && !Compare(graphtap::Combine(records, placed.one->bytes, placed.one->dtype),
                         placed.digest, result)) {
    return "the digest differs";
  }
  const auto copy = slot.begin() + static_cast<std::ptrdiff_t>(tensor.copy);
  const auto copied = static_cast<std::ptrdiff_t>(tensor.copy_bytes);
  if (!std::equal(copy, copy + copied, placed.bytes.begin())) return "the copy differs";
  const auto begin = slot.begin() + static_cast<std::ptrdiff_t>(tensor.records);
  std::fill_n(begin, records.size() * sizeof(DigestRecord), kUntouched);
  std::fill_n(copy, copied, kUntouched);
  return nullptr;
}

const char* ExamineHeader(std::vector<std::byte>& slot, std::uint64_t replay) {
  probe::SlotHeader header{};
  std::memcpy(&header, slot.data(), sizeof(header));
  std::fill_n(slot.begin(), sizeof(header), kUntouched);
  return header.replay == replay && header.executable == replay + 1 ? nullptr
                                                                    : "the header differs";
}

void Report(const std::vector<Placed>& placed, const char* kernel, const char* what,
            CheckResult& result) {
  ++result.wrong;
  std::fprintf(stderr, "%s, %s: %s\n", result.image.c_str(), kernel, what);
  for (const Placed& one : placed) std::fprintf(stderr, "  %s\n", one.one->Describe().c_str());
}

struct Kernel {
  const char* name;
  bool digest;  // else hashes
  CUfunction function;
};

void CheckProbe(Probe& probe, CUfunction head, const Kernel& run, CheckResult& result) {
  const auto [kernel, digest, function] = run;
  const std::uint64_t replay = ++result.probes;
  auto slot = probe.Run(head, function, replay);
  if (!probe.cell_holds()) Report(probe.placed(), kernel, "the cell differs", result);
  if (const char* what = ExamineHeader(slot, replay)) {
    Report(probe.placed(), kernel, what, result);
  }
  for (const Placed& placed : probe.placed()) {
    const char* what = Examine(placed, digest, slot, result);
    if (what != nullptr) Report(probe.placed(), kernel, what, result);
  }
  const auto touched = std::ranges::count_if(slot, [](std::byte b) { return b != kUntouched; });
  if (touched != 0) Report(probe.placed(), kernel, "bytes between the results changed", result);
}

// Each case alone, then up to eight of them in one probe, then a probe that has nothing to do.
void CheckCases(const Gpu& gpu, const std::vector<Case>& cases, CUfunction head,
                std::span<const Kernel> kernels, CheckResult& result) {
  result.cases += cases.size();
  for (std::size_t together : {std::size_t{1}, std::size_t{probe::kTensorsPerProbe}}) {
    for (std::size_t at = 0; at < cases.size(); at += together) {
      Probe one(gpu, std::span(cases).subspan(at, std::min(together, cases.size() - at)));
      for (const Kernel& kernel : kernels) CheckProbe(one, head, kernel, result);
    }
  }
  Probe none(gpu, {});
  for (const Kernel& kernel : kernels) CheckProbe(none, head, kernel, result);
}

}  // namespace

CheckResult CheckImage(const Gpu& gpu, std::span<const std::byte> image, std::string name,
                       const Limits& limits) {
  CheckResult result;
  result.image = std::move(name);
  CUmodule module = gpu.Load(image);
  CUfunction head = gpu.Find(module, "graphtap_head");
  const auto kernel = [&](const char* called, bool digest) {
    return Kernel{called, digest, gpu.Find(module, called)};
  };
  const std::array kernels{kernel("graphtap_digest", true), kernel("graphtap_hash", false)};
  CheckCases(gpu, CasesWithin(limits), head, kernels, result);
  const std::array strided{kernel("graphtap_strided", true)};
  CheckCases(gpu, StridedCasesWithin(limits), head, strided, result);
  Must(cuModuleUnload(module));
  return result;
}

}  // namespace probe_test
