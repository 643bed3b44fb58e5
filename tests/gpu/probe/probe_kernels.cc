// probe_kernels [--check-only] [--most-bytes N] [--most-cases N] [--json FILE]: checks the probe
// kernels on the first GPU against proto/digest.h, with all cases or a sample of them, then
// measures what they cost. On hostcuda with their twins, with --check-only. Exit 0: all results are
// right (a missed bar is said in the figures); 1: some are wrong; 2: usage.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "interpose/probe/kernels/images.h"
#include "tests/gpu/probe/bench.h"
#include "tests/gpu/probe/bench_images.h"
#include "tests/gpu/probe/check.h"
#include "tests/gpu/probe/gpu.h"

namespace probe_test {
namespace {

struct Options {
  bool check_only = false;
  Limits limits;
  const char* json = nullptr;
};

bool ParseSize(const char* word, std::size_t* size) {
  char* end = nullptr;
  *size = std::strtoull(word, &end, 10);
  return end != word && *end == '\0';
}

bool Parse(int count, char** words, Options* options) {
  for (int i = 1; i < count; ++i) {
    if (std::strcmp(words[i], "--check-only") == 0) {
      options->check_only = true;
    } else if (std::strcmp(words[i], "--most-bytes") == 0 && i + 1 < count) {
      if (!ParseSize(words[++i], &options->limits.most_bytes)) return false;
    } else if (std::strcmp(words[i], "--most-cases") == 0 && i + 1 < count) {
      if (!ParseSize(words[++i], &options->limits.most_cases)) return false;
    } else if (std::strcmp(words[i], "--json") == 0 && i + 1 < count) {
      options->json = words[++i];
    } else {
      return false;
    }
  }
  return true;
}

struct Results {
  std::string gpu;
  std::vector<CheckResult> checks;
  std::vector<ReadRow> reads;
  std::vector<ChainRow> chains;
};

// Both the machine code of this GPU and what its driver makes of the PTX, if those are two.
void Check(const Gpu& gpu, const Limits& limits, Results& results) {
  const auto own = graphtap::probe::ImageFor(gpu.major(), gpu.minor());
  const auto ptx = graphtap::probe::AllImages().back().bytes;
  if (own.data() != ptx.data()) {
    results.checks.push_back(CheckImage(gpu, own, "machine code", limits));
  }
  results.checks.push_back(CheckImage(gpu, ptx, "PTX", limits));
}

void Bench(const Gpu& gpu, Results& results) {
  CUmodule kernels = gpu.Load(graphtap::probe::ImageFor(gpu.major(), gpu.minor()));
  CUmodule bases =
      gpu.Load(graphtap::probe::Select(graphtap::probe::BenchImages(), gpu.major(), gpu.minor()));
  results.reads = BenchReads(gpu, kernels, bases);
  results.chains = BenchChain(gpu, kernels, bases);
}

void Print(const Results& results) {
  for (const CheckResult& check : results.checks) {
    std::printf(
        "%s: %zu cases, %zu probes, %zu wrong; greatest errors: mean %.1e, l2 %.1e of the rms, "
        "variance %.1e of the mean square\n",
        check.image.c_str(), check.cases, check.probes, check.wrong, check.mean_error,
        check.l2_error, check.variance_error);
  }
  for (const ReadRow& row : results.reads) {
    std::printf("%-26s %9zu KiB: read %8.2f us (%5.0f GB/s), probe %8.2f us, ratio %.3f%s\n",
                row.probe.c_str(), row.bytes / 1024, row.read_us,
                static_cast<double>(row.bytes) / row.read_us / 1e3, row.probe_us, row.ratio,
                row.holds() ? "" : " MISSED");
  }
  for (const ChainRow& row : results.chains) {
    std::printf("chain, %-16s %6zu KiB: base %7.1f us, probed %7.1f us, +%.2f us a tensor%s\n",
                row.probe.c_str(), row.bytes / 1024, row.base_us, row.probed_us, row.added_us,
                row.holds() ? "" : " MISSED");
  }
}

void WriteRows(std::FILE* file, const Results& results) {
  const char* comma = "";
  for (const ReadRow& row : results.reads) {
    std::fprintf(file,
                 "%s\n    {\"probe\": \"%s\", \"bytes\": %zu, \"read_us\": %.3f, \"probe_us\": "
                 "%.3f, \"ratio\": %.4f, \"bar\": %.2f, \"spread\": %.4f, \"holds\": %s}",
                 comma, row.probe.c_str(), row.bytes, row.read_us, row.probe_us, row.ratio, row.bar,
                 row.spread, row.holds() ? "true" : "false");
    comma = ",";
  }
  std::fprintf(file, "\n  ],\n  \"chains\": [");
  comma = "";
  for (const ChainRow& row : results.chains) {
    std::fprintf(file,
                 "%s\n    {\"probe\": \"%s\", \"bytes\": %zu, \"base_us\": %.2f, \"probed_us\": "
                 "%.2f, \"added_us\": %.3f, \"bar\": %.2f, \"spread\": %.4f, \"holds\": %s}",
                 comma, row.probe.c_str(), row.bytes, row.base_us, row.probed_us, row.added_us,
                 row.bar, row.spread, row.holds() ? "true" : "false");
    comma = ",";
  }
}

bool WriteJson(const char* path, const Results& results) {
  std::FILE* file = std::fopen(path, "w");
  if (file == nullptr) return false;
  std::fprintf(file, "{\n  \"gpu\": \"%s\",\n  \"checks\": [", results.gpu.c_str());
  const char* comma = "";
  for (const CheckResult& check : results.checks) {
    std::fprintf(file,
                 "%s\n    {\"image\": \"%s\", \"cases\": %zu, \"probes\": %zu, \"wrong\": %zu, "
                 "\"mean_error\": %.3e, \"l2_error\": %.3e, \"variance_error\": %.3e}",
                 comma, check.image.c_str(), check.cases, check.probes, check.wrong,
                 check.mean_error, check.l2_error, check.variance_error);
    comma = ",";
  }
  std::fprintf(file, "\n  ],\n  \"reads\": [");
  WriteRows(file, results);
  std::fprintf(file, "\n  ]\n}\n");
  return std::fclose(file) == 0;
}

int Run(int count, char** words) {
  Options options;
  if (!Parse(count, words, &options)) {
    std::fprintf(stderr,
                 "probe_kernels: allowed are --check-only, --most-bytes N, --most-cases N, "
                 "--json FILE\n");
    return 2;
  }
  Gpu gpu;
  Results results;
  results.gpu = gpu.name();
  Check(gpu, options.limits, results);
  if (!options.check_only) Bench(gpu, results);
  Print(results);
  if (options.json != nullptr && !WriteJson(options.json, results)) {
    std::fprintf(stderr, "probe_kernels: %s: cannot be written\n", options.json);
    return 1;
  }
  for (const CheckResult& check : results.checks) {
    if (check.wrong != 0) return 1;
  }
  return 0;
}

}  // namespace
}  // namespace probe_test

int main(int count, char** words) { return probe_test::Run(count, words); }
