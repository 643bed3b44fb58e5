#include "tests/gpu/probe/bench.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>

#include "interpose/probe/kernels/arguments.h"
#include "interpose/probe/kernels/block_size.h"
#include "interpose/probe/shape.h"

namespace probe_test {
namespace {

namespace probe = graphtap::probe;

constexpr int kRounds = 9;
constexpr std::size_t kKiB = 1024, kMiB = 1024 * kKiB;
constexpr std::size_t kFarMoreThanCaches = 256 * kMiB;
constexpr double kLeastRatio16M = 0.9, kLeastRatio256M = 0.95, kMostAddedUs = 2.2;

struct Kind {
  const char* name;
  const char* kernel;
  probe::Statistics statistics;
  bool nan = false;
  probe::Shape (*shape)(std::size_t bytes) = nullptr;  // where it does not lie in C order
};

// float32 of [token, 16, 64], read as [16, token, 64].
probe::Shape Heads(std::size_t bytes) { return {16, {{16, 256}, {bytes / 4096, 4096}, {16, 16}}}; }
// bfloat16 of [image, 4096, 64], read as [image, 64, 4096].
probe::Shape ChannelsLast(std::size_t bytes) {
  return {2, {{bytes >> 19, 1 << 19}, {64, 2}, {4096, 128}}};
}
// float32 of [1024, n], read as [n, 1024].
probe::Shape Transposed(std::size_t bytes) {
  return {4, {{bytes / 4096, 4}, {1024, static_cast<std::int64_t>(bytes / 1024)}}};
}
constexpr std::array kKinds{
    Kind{"hash", "graphtap_hash", probe::Statistics::kNone},
    Kind{"digest float32", "graphtap_digest", probe::Statistics::kFloat32},
    Kind{"digest bfloat16", "graphtap_digest", probe::Statistics::kBfloat16},
    Kind{"digest float16", "graphtap_digest", probe::Statistics::kFloat16}};
constexpr std::array kNanKinds{
    Kind{"digest float32, all NaN", "graphtap_digest", probe::Statistics::kFloat32, true},
    Kind{"digest bfloat16, all NaN", "graphtap_digest", probe::Statistics::kBfloat16, true}};

constexpr std::array kStridedKinds{
    Kind{"strided float32, heads", "graphtap_strided", probe::Statistics::kFloat32, false, Heads},
    Kind{"strided bfloat16, channels", "graphtap_strided", probe::Statistics::kBfloat16, false,
         ChannelsLast},
    Kind{"strided float32, transposed", "graphtap_strided", probe::Statistics::kFloat32, false,
         Transposed}};

double Median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

// Where the benched probes leave their records.
struct Slot {
  explicit Slot(std::size_t bytes) : memory(bytes), cell(sizeof(probe::Cell)) {
    const probe::Cell told{memory.address(), 1};
    cell.Write(0, std::as_bytes(std::span(&told, 1)));
  }
  Memory memory, cell;
};

probe::ProbeArguments ArgumentsFor(const Slot& slot, CUdeviceptr address, std::size_t bytes,
                                   probe::Statistics statistics) {
  probe::ProbeArguments arguments{};
  arguments.cell = reinterpret_cast<const probe::Cell*>(slot.cell.address());
  arguments.count = 1;
  probe::Tensor& tensor = arguments.tensors[0];
  tensor.address = address;
  tensor.bytes = bytes;
  tensor.records = sizeof(probe::SlotHeader);
  tensor.statistics = static_cast<unsigned>(statistics);
  tensor.block_bytes = probe::BlockBytes(bytes);
  const auto blocks = static_cast<unsigned>(probe::BlockCount(tensor));
  std::fill(arguments.first_block + 1, std::end(arguments.first_block), blocks);
  return arguments;
}

KernelCall ProbeCall(CUfunction function, probe::StridedArguments& arguments) {
  return {function, arguments.probe.first_block[1], probe::kProbeThreads, {&arguments}};
}

void Fill(const Gpu& gpu, CUmodule bases, CUdeviceptr address, std::size_t bytes, bool nan) {
  std::uint64_t words = bytes / 4;
  unsigned seed = 1;
  const char* name = nan ? "fill_nan" : "fill";
  std::vector<void*> arguments{&address, &words};
  if (!nan) arguments.push_back(&seed);
  gpu.Launch({gpu.Find(bases, name), 1056, 256, arguments});
  gpu.Wait();
}

struct Medians {
  double base = 0, probed = 0, ratio = 0, difference = 0, spread = 0;
};

// Base, probed, base, and so on; a round's base is the mean of the two around it.
Medians Alternate(const std::function<double()>& base, const std::function<double()>& probed) {
  std::vector<double> bases, probes, ratios, differences;
  Medians medians;
  base(), probed();
  double before = base();
  for (int i = 0; i < kRounds; ++i) {
    const double with = probed(), after = base();
    const double mean = (before + after) / 2;
    bases.push_back(mean);
    probes.push_back(with);
    ratios.push_back(mean / with);
    differences.push_back(with - mean);
    medians.spread = std::max(medians.spread, std::fabs(after - before) / mean);
    before = after;
  }
  medians.base = Median(bases);
  medians.probed = Median(probes);
  medians.ratio = Median(ratios);
  medians.difference = Median(differences);
  return medians;
}

// Tensors of one size that together are far larger than the caches.
class ReadBench {
 public:
  ReadBench(const Gpu& gpu, CUmodule kernels, CUmodule bases, CUdeviceptr memory, std::size_t total,
            std::size_t bytes)
      : gpu_(gpu), kernels_(kernels), memory_(memory), bytes_(bytes), slot_(kMiB) {
    count_ = std::min(total / bytes, std::max<std::size_t>(512, kFarMoreThanCaches / bytes));
    sink_ = slot_.memory.address() + kMiB - 16;
    block_bytes_ = probe::BlockBytes(bytes);
    plain_read_ = gpu.Find(bases, "plain_read");
    base_ = Reads();
  }
  ~ReadBench() { Must(cuGraphExecDestroy(base_)); }
  ReadBench(const ReadBench&) = delete;
  ReadBench& operator=(const ReadBench&) = delete;

  ReadRow Run(const Kind& kind, double bar) {
    CUgraphExec probed = Probes(kind);
    const int launches = bytes_ >= 16 * kMiB ? 3 : 5;
    const double times = static_cast<double>(launches) * static_cast<double>(count_);
    const Medians medians = Alternate([&] { return gpu_.Time(base_, launches) / times; },
                                      [&] { return gpu_.Time(probed, launches) / times; });
    Must(cuGraphExecDestroy(probed));
    return {kind.name,          bytes_,        medians.base, medians.probed, medians.ratio,
            kind.nan ? 0 : bar, medians.spread};
  }

 private:
  CUgraphExec Reads() {
    std::deque<CUdeviceptr> addresses;
    std::vector<KernelCall> calls;
    const auto blocks = static_cast<unsigned>((bytes_ + block_bytes_ - 1) / block_bytes_);
    for (std::size_t i = 0; i < count_; ++i) {
      addresses.push_back(memory_ + i * bytes_);
      calls.push_back({plain_read_,
                       blocks,
                       probe::kProbeThreads,
                       {&addresses.back(), &bytes_, &block_bytes_, &sink_}});
    }
    return gpu_.Chain(calls);
  }

  CUgraphExec Probes(const Kind& kind) {
    std::deque<probe::StridedArguments> arguments;
    std::vector<KernelCall> calls;
    CUfunction function = gpu_.Find(kernels_, kind.kernel);
    for (std::size_t i = 0; i < count_; ++i) {
      arguments.push_back({ArgumentsFor(slot_, memory_ + i * bytes_, bytes_, kind.statistics), {}});
      if (kind.shape != nullptr) {
        arguments.back().strides[0] = probe::StridesOf(kind.shape(bytes_));
      }
      calls.push_back(ProbeCall(function, arguments.back()));
    }
    return gpu_.Chain(calls);
  }

  const Gpu& gpu_;
  CUmodule kernels_;
  CUdeviceptr memory_, sink_ = 0;
  std::size_t bytes_, count_ = 0;
  Slot slot_;
  unsigned block_bytes_ = 0;
  CUfunction plain_read_ = nullptr;
  CUgraphExec base_ = nullptr;
};

// 200 kernels of one tensor each, over eight tensors in turns.
class ChainBench {
 public:
  ChainBench(const Gpu& gpu, CUmodule kernels, CUmodule bases, std::size_t bytes)
      : gpu_(gpu), kernels_(kernels), bytes_(bytes), count_(bytes / 4), slot_(kMiB) {
    scale_add_ = gpu.Find(bases, "scale_add");
    for (int i = 0; i < kTensors; ++i) {
      tensors_.emplace_back(bytes);
      addresses_.push_back(tensors_.back().address());
      Fill(gpu, bases, addresses_.back(), bytes, false);
    }
    // After some direct launches a chain runs slower for the rest of the process: all shall.
    for (int i = 0; i < 100; ++i) gpu.Launch(Link(i));
    gpu.Wait();
  }

  ChainRow Run(const Kind& kind, double bar) {
    CUgraphExec base = Chain(nullptr), probed = Chain(&kind);
    constexpr int kLaunches = 40;
    const Medians medians = Alternate([&] { return gpu_.Time(base, kLaunches) / kLaunches; },
                                      [&] { return gpu_.Time(probed, kLaunches) / kLaunches; });
    Must(cuGraphExecDestroy(base));
    Must(cuGraphExecDestroy(probed));
    return {kind.name, bytes_,        medians.base, medians.probed, medians.difference / kLinks,
            bar,       medians.spread};
  }

 private:
  static constexpr int kLinks = 200, kTensors = 8;

  KernelCall Link(int i) {
    return {scale_add_,
            static_cast<unsigned>(std::clamp<std::size_t>(count_ / 1024, 1, 1024)),
            256,
            {&addresses_[static_cast<std::size_t>((i + kTensors - 1) % kTensors)],
             &addresses_[static_cast<std::size_t>(i % kTensors)], &count_, &factor_, &summand_}};
  }

  // With a probe behind each link, unless `kind` is null.
  CUgraphExec Chain(const Kind* kind) {
    std::deque<probe::StridedArguments> arguments;
    std::vector<KernelCall> calls;
    for (int i = 0; i < kLinks; ++i) {
      calls.push_back(Link(i));
      if (kind == nullptr) continue;
      const CUdeviceptr address = addresses_[static_cast<std::size_t>(i % kTensors)];
      arguments.push_back({ArgumentsFor(slot_, address, bytes_, kind->statistics), {}});
      calls.push_back(ProbeCall(gpu_.Find(kernels_, kind->kernel), arguments.back()));
    }
    return gpu_.Chain(calls);
  }

  const Gpu& gpu_;
  CUmodule kernels_;
  std::size_t bytes_;
  std::uint64_t count_;
  float factor_ = 0.999f, summand_ = 0.001f;
  Slot slot_;
  CUfunction scale_add_ = nullptr;
  std::vector<Memory> tensors_;
  std::vector<CUdeviceptr> addresses_;
};

double BarFor(const Kind& kind, std::size_t bytes) {
  if (kind.statistics != probe::Statistics::kNone) return 0;
  return bytes == 256 * kMiB ? kLeastRatio256M : bytes == 16 * kMiB ? kLeastRatio16M : 0;
}

}  // namespace

std::vector<ReadRow> BenchReads(const Gpu& gpu, CUmodule kernels, CUmodule bases) {
  constexpr std::size_t kTotal = 4096 * kMiB;
  Memory memory(kTotal);
  std::vector<ReadRow> rows;
  Fill(gpu, bases, memory.address(), kTotal, false);
  for (std::size_t bytes : {64 * kKiB, kMiB, 4 * kMiB, 16 * kMiB, 256 * kMiB}) {
    ReadBench bench(gpu, kernels, bases, memory.address(), kTotal, bytes);
    for (const Kind& kind : kKinds) rows.push_back(bench.Run(kind, BarFor(kind, bytes)));
    if (bytes < 16 * kMiB) continue;
    for (const Kind& kind : kStridedKinds) rows.push_back(bench.Run(kind, 0));
  }
  Fill(gpu, bases, memory.address(), kTotal, true);
  ReadBench bench(gpu, kernels, bases, memory.address(), kTotal, 256 * kMiB);
  for (const Kind& kind : kNanKinds) rows.push_back(bench.Run(kind, 0));
  return rows;
}

std::vector<ChainRow> BenchChain(const Gpu& gpu, CUmodule kernels, CUmodule bases) {
  std::vector<ChainRow> rows;
  for (std::size_t bytes : {4 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 4 * kMiB}) {
    ChainBench bench(gpu, kernels, bases, bytes);
    for (const Kind& kind : std::span(kKinds).first(2)) {  // the chain's data are float32
      rows.push_back(bench.Run(kind, bytes == 64 * kKiB ? kMostAddedUs : 0));
    }
  }
  return rows;
}

}  // namespace probe_test
