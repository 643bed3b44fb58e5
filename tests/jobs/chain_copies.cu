// A chain of kernels whose values are copied by hand: the first graph is the chain, the second the
// same with a copy node behind each kernel, and both are replayed from the same start.
//   chain_copies [--replays N] [--kernels N] [--bytes N] [--truth FILE]
// --replays 5, --kernels 200, --bytes 65536. --truth: JSON lines with the hash of the bytes that
// each kernel of the first graph must leave and have read, from the copies of the second.
// Prints the last hash. Exit 1 if the two graphs end in different bytes, 2 for bad arguments.
#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/reference_hash.h"

__global__ void scale_add(const float* in, float* out, size_t count, float a, float b) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < count;
       i += size_t(gridDim.x) * blockDim.x) {
    out[i] = in[i] * a + b;
  }
}

namespace {

constexpr unsigned kBuffers = 8;
using Bytes = std::vector<unsigned char>;

struct Options {
  unsigned replays = 5, kernels = 200, bytes = 65536;
  const char* truth = nullptr;
};

class Job {
 public:
  explicit Job(const Options& options) : options_(options), copies_(options.kernels) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    for (float*& buffer : buffers_) CHECK(cudaMalloc(&buffer, options.bytes));
    for (float*& copy : copies_) CHECK(cudaMalloc(&copy, options.bytes));
    chain_ = Capture(false);
    copying_ = Capture(true);
  }
  ~Job() {
    for (const cudaGraphExec_t executable : {chain_, copying_}) {
      CHECK(cudaGraphExecDestroy(executable));
    }
    CHECK(cudaStreamDestroy(stream_));
    for (float* buffer : buffers_) CHECK(cudaFree(buffer));
    for (float* copy : copies_) CHECK(cudaFree(copy));
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  Bytes RunChain() {
    Start();
    for (unsigned i = 0; i < options_.replays; ++i) CHECK(cudaGraphLaunch(chain_, stream_));
    CHECK(cudaStreamSynchronize(stream_));
    return Read(Buffer(options_.kernels - 1));
  }

  // Writes what each kernel leaves; returns what is there in the end.
  Bytes RunCopies(std::FILE* truth) {
    Start();
    for (unsigned replay = 1; replay <= options_.replays; ++replay) {
      // The first kernel reads the last buffer as the replay before left it.
      std::uint64_t before = jobs::ReferenceHash(Read(Buffer(kBuffers - 1)));
      CHECK(cudaGraphLaunch(copying_, stream_));
      CHECK(cudaStreamSynchronize(stream_));
      for (unsigned i = 0; i < options_.kernels; ++i) {
        const std::uint64_t left = jobs::ReferenceHash(Read(copies_[i]));
        Write(truth, replay, i, "arg0", before);
        Write(truth, replay, i, "arg1", left);
        before = left;
      }
    }
    return Read(Buffer(options_.kernels - 1));
  }

 private:
  float* Buffer(unsigned i) const { return buffers_[i % kBuffers]; }

  void Start() {
    for (unsigned b = 0; b < kBuffers; ++b) {
      std::vector<float> values(options_.bytes / sizeof(float));
      for (size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<float>((i * 2654435761u + b) % 1000) / 1000.0f;
      }
      CHECK(cudaMemcpy(buffers_[b], values.data(), values.size() * sizeof(float),
                       cudaMemcpyHostToDevice));
    }
    CHECK(cudaDeviceSynchronize());  // the stream does not wait for the legacy one
  }

  cudaGraphExec_t Capture(bool copy) {
    const size_t count = options_.bytes / sizeof(float);
    const auto blocks = static_cast<unsigned>(std::clamp<size_t>(count / 1024, 1, 1024));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeGlobal));
    for (unsigned i = 0; i < options_.kernels; ++i) {
      scale_add<<<blocks, 256, 0, stream_>>>(Buffer(i + kBuffers - 1), Buffer(i), count, 0.999f,
                                             0.001f * static_cast<float>(i % 7));
      if (!copy) continue;
      CHECK(cudaMemcpyAsync(copies_[i], Buffer(i), options_.bytes, cudaMemcpyDeviceToDevice,
                            stream_));
    }
    CHECK(cudaStreamEndCapture(stream_, &graph));
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    CHECK(cudaGraphDestroy(graph));
    return executable;
  }

  Bytes Read(const float* data) const {
    Bytes bytes(options_.bytes);
    CHECK(cudaMemcpy(bytes.data(), data, bytes.size(), cudaMemcpyDeviceToHost));
    return bytes;
  }

  void Write(std::FILE* truth, unsigned replay, unsigned kernel, const char* operand,
             std::uint64_t hash) const {
    if (truth == nullptr) return;
    std::fprintf(truth,
                 "{\"executable\":0,\"replay\":%u,\"name\":\"scale_add\",\"occurrence\":%u,"
                 "\"operand\":\"%s\",\"bytes\":%u,\"hash\":\"%016llx\"}\n",
                 replay, kernel, operand, options_.bytes, static_cast<unsigned long long>(hash));
  }

  Options options_;
  float* buffers_[kBuffers] = {};
  std::vector<float*> copies_;
  cudaStream_t stream_ = nullptr;
  cudaGraphExec_t chain_ = nullptr, copying_ = nullptr;
};

[[noreturn]] void Usage() {
  std::fprintf(
      stderr,
      "chain_copies [--replays N] [--kernels N] [--bytes N] [--truth FILE]; kernels a multiple of "
      "%u, bytes of 4\n",
      kBuffers);
  std::exit(2);
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    if (i + 1 == argc) Usage();
    if (name == "--truth") {
      options.truth = argv[i + 1];
      continue;
    }
    char* end = nullptr;
    const unsigned long number = std::strtoul(argv[i + 1], &end, 10);
    unsigned* const value = name == "--replays"   ? &options.replays
                            : name == "--kernels" ? &options.kernels
                            : name == "--bytes"   ? &options.bytes
                                                  : nullptr;
    if (value == nullptr || number < 1 || number > 1000000000 || *end != '\0') Usage();
    *value = static_cast<unsigned>(number);
  }
  // Every buffer is written in a replay; floats are whole.
  if (options.kernels < kBuffers || options.kernels % kBuffers != 0) Usage();
  if (options.bytes % sizeof(float) != 0) Usage();
  return options;
}

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  std::FILE* truth = options.truth != nullptr ? std::fopen(options.truth, "w") : nullptr;
  jobs::Expect(options.truth == nullptr || truth != nullptr, "a truth file to write", 0);
  jobs::Expect(jobs::ReferenceHash({'a'}) == 0x350fab2ef958e42d, "the hash of \"a\"", 0);
  Job job(options);
  const Bytes chained = job.RunChain();
  const Bytes copied = job.RunCopies(truth);
  jobs::Expect(chained == copied, "the same bytes from both graphs", 0);
  if (truth != nullptr) {
    std::fprintf(truth, "{\"executable\":0,\"replays\":%u}\n", options.replays);
    jobs::Expect(std::fclose(truth) == 0, "a truth file to write", 1);
  }
  std::printf("chain_copies %016llx\n",
              static_cast<unsigned long long>(jobs::ReferenceHash(chained)));
}
