// Operators whose tensors come from a caching allocator, captured into two graphs under a stand-in
// for PyTorch (tests/jobs/torch_like), and replayed. Blocks are freed and their addresses given out
// again inside the capture; at its end other blocks have them all.
//   torch_blocks [--late] [--busy] [--full] [--truth FILE]
// --late: the stand-in is loaded, and blocks are there, when CUDA is in use already. --busy:
// another thread uses the allocator while the first graph is captured. --full: at the end more is
// asked for than there is. --truth: writes which block
// each operand of each kernel is in. Prints "torch_blocks" and what comes out. Exit 1: a call or a
// value is wrong, 2: bad arguments.

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/torch_blocks/tensor.h"
#include "tests/jobs/torch_like/load.h"

__global__ void scale_add(const float* from, float* to, int count, float factor, float value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = from[i] * factor + value;
}
__global__ void add(const float* a, const float* b, float* to, int count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) to[i] = a[i] + b[i];
}

namespace {

using torch_blocks::Framework;
using torch_blocks::kCount;
using torch_blocks::Op;
using torch_blocks::TensorRef;
using torch_like::Pool;

constexpr unsigned kReplays = 3;
constexpr std::uint64_t kSegmentBytes = 64 << 10;
constexpr Pool kShared, kPrivate{0, 1};

struct Options {
  bool late = false, busy = false, full = false;
  const char* truth = nullptr;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--truth" && i + 1 < argc) {
      options.truth = argv[++i];
    } else if (word == "--late" || word == "--busy" || word == "--full") {
      (word == "--late" ? options.late : word == "--busy" ? options.busy : options.full) = true;
    } else {
      std::fprintf(stderr, "torch_blocks [--late] [--busy] [--full] [--truth FILE]\n");
      std::exit(2);
    }
  }
  return options;
}

Framework LoadTorch(std::FILE* truth) {
  return {torch_like::Load<decltype(torch_like_functions)>("torch_like_functions"),
          torch_like::Load<decltype(torch_like_allocator)>("torch_like_allocator"), truth};
}

// One thread that uses the allocator on a stream of its own, as long as it lives.
class Busy {
 public:
  Busy(Framework& framework, void* stream) : framework_(framework), stream_(stream) {
    thread_ = std::thread([this] { Run(); });
  }
  ~Busy() {
    stop_ = true;
    thread_.join();
  }
  void WaitForRounds(unsigned more) const {
    for (const unsigned end = rounds_ + more; rounds_ < end;) std::this_thread::yield();
  }

 private:
  void Run() {
    const auto& allocator = framework_.allocator();
    void* kept = allocator.allocate(kCount, stream_, kShared);
    for (; !stop_; ++rounds_) {
      void* more = allocator.allocate(3 * kCount, stream_, kShared);
      allocator.free(kept);
      kept = more;
      std::this_thread::yield();
    }
    allocator.free(kept);
  }

  Framework& framework_;
  void* stream_;
  std::atomic<bool> stop_{false};
  std::atomic<unsigned> rounds_{0};
  std::thread thread_;
};

class Job {
 public:
  Job(const Options& options, Framework& framework) : options_(options), framework_(framework) {
    CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK(cudaStreamCreateWithFlags(&other_, cudaStreamNonBlocking));
    AddSegment(stream_, kShared);
    AddSegment(other_, kShared);
    input_ = framework_.Allocate(kCount, stream_, kShared);
    {
      const Op warm(framework_, "aten::empty.memory_format", stream_);
    }
    weights_ = framework_.Allocate(kCount, stream_, kShared);
    result_ = framework_.Allocate(4 * kCount, stream_, kShared);
    Set(&input_, 1);
    Set(&weights_, 5);
    Set(&result_, 0);
    AddSegment(stream_, kPrivate);
  }
  ~Job() {
    for (void* memory : memory_) CHECK(cudaFree(memory));
    CHECK(cudaStreamDestroy(other_));
    CHECK(cudaStreamDestroy(stream_));
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  void Run() {
    cudaGraph_t first = nullptr;
    {
      std::unique_ptr<Busy> busy;
      if (options_.busy) busy = std::make_unique<Busy>(framework_, other_);
      if (busy) busy->WaitForRounds(100);
      first = Capture([&] { First(busy.get()); });
    }
    Replay(first);
    Replay(Capture([&] { Second(); }));
    if (options_.full) {
      void* memory = framework_.allocator().allocate(2 * kSegmentBytes, stream_, kShared);
      jobs::Expect(memory == nullptr, "no room", 0);
    }
  }

 private:
  void AddSegment(cudaStream_t stream, Pool pool) {
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, kSegmentBytes));
    memory_.push_back(memory);
    framework_.allocator().add_segment(memory, kSegmentBytes, stream, pool);
  }

  void Set(TensorRef* tensor, float value) {
    auto& expected = (*tensor)->expected;
    expected.assign(expected.size(), value);
    CHECK(cudaMemcpy((*tensor)->data, expected.data(), expected.size() * sizeof(float),
                     cudaMemcpyHostToDevice));
  }

  TensorRef New(std::size_t count = kCount) {
    return framework_.Allocate(count, stream_, framework_.capturing() ? kPrivate : kShared);
  }

  // As operators get their outputs: another operator runs inside them.
  TensorRef Empty(std::size_t count = kCount) {
    const Op empty(framework_, "aten::empty.memory_format", stream_);
    return New(count);
  }

  void ScaleAdd(const TensorRef& from, const TensorRef& to, float factor, float value,
                std::size_t from_at = 0, std::size_t to_at = 0) {
    scale_add<<<1, kCount, 0, stream_>>>(from->data + from_at, to->data + to_at, kCount, factor,
                                         value);
    CHECK(cudaGetLastError());
    framework_.Tell("scale_add", {{from.get(), from_at}, {to.get(), to_at}});
    for (std::size_t i = 0; i < kCount; ++i) {
      to->expected[to_at + i] = from->expected[from_at + i] * factor + value;
    }
  }

  void Add(const TensorRef& a, const TensorRef& b, const TensorRef& to) {
    add<<<1, kCount, 0, stream_>>>(a->data, b->data, to->data, kCount);
    CHECK(cudaGetLastError());
    framework_.Tell("add", {{a.get(), 0}, {b.get(), 0}, {to.get(), 0}});
    for (std::size_t i = 0; i < kCount; ++i) to->expected[i] = a->expected[i] + b->expected[i];
  }

  TensorRef Scaled(const char* name, const TensorRef& from, float factor, float value) {
    Op op(framework_, name, stream_);
    TensorRef out = Empty();
    ScaleAdd(from, out, factor, value);
    op.Gives(*out);
    return out;
  }

  // With a temporary that is given back inside.
  TensorRef Softmax(const TensorRef& from) {
    Op op(framework_, "aten::_softmax", stream_);
    TensorRef temporary = New(5 * kCount);
    ScaleAdd(from, temporary, 2, 0, 0, kCount);
    TensorRef out = Empty();
    ScaleAdd(temporary, out, 1, 3, kCount);
    op.Gives(*out);
    return out;
  }

  TensorRef Linear(const TensorRef& from) {
    const Op linear(framework_, "aten::linear", stream_, true);
    TensorRef bias = New(2 * kCount);  // by a composite operator itself
    const TensorRef product = Scaled("aten::mm", from, 3, 0);
    ScaleAdd(weights_, bias, 1, 1);
    Op op(framework_, "aten::add.Tensor", stream_);
    TensorRef out = Empty(3 * kCount);
    Add(product, bias, out);
    op.Gives(*out);
    return out;
  }

  void First(const Busy* busy) {
    if (busy != nullptr) busy->WaitForRounds(50);
    TensorRef a = Scaled("aten::mul.Tensor", input_, 2, 1);
    TensorRef b = Softmax(a);
    a.reset();
    if (busy != nullptr) busy->WaitForRounds(50);
    TensorRef c = Scaled("aten::relu", b, 1, 2);  // where a was
    b.reset();
    TensorRef d = Linear(c);
    // Another stream uses c: its memory is free later.
    framework_.allocator().record_stream(c->data);
    c.reset();
    TensorRef e = Scaled("aten::gelu", d, 1, 4);
    framework_.allocator().complete_frees();
    TensorRef f = Scaled("aten::tanh", e, 2, 0);  // where c was
    e.reset();
    TensorRef g = New(4 * kCount);  // by no operator
    ScaleAdd(f, g, 1, 1, 0, kCount);
    ScaleAdd(g, result_, 1, 0, kCount, kCount);
    d.reset();
    f.reset();
    g.reset();
    Op op(framework_, "aten::cat", stream_);
    TensorRef all = Empty(kSegmentBytes / sizeof(float));  // where all were
    ScaleAdd(result_, all, 1, 1, kCount, 40 * kCount);
    ScaleAdd(all, result_, 2, 0, 40 * kCount);
    if (busy != nullptr) busy->WaitForRounds(50);
    at_end_ = std::move(all);
  }

  void Second() {
    at_end_.reset();
    TensorRef a = Scaled("aten::mul.Tensor", weights_, 2, 1);
    {
      Op op(framework_, "aten::add_.Tensor", stream_);
      ScaleAdd(a, result_, 1, 0, 0, 2 * kCount);
      op.Writes(*result_);
    }
    a.reset();
    TensorRef b = New(2 * kCount);  // by no operator, where a was when the last one ended
    ScaleAdd(weights_, b, 1, 2);
    const Op op(framework_, "aten::relu", stream_);
    ScaleAdd(b, result_, 1, 0, 0, 3 * kCount);
  }

  template <typename Work>
  cudaGraph_t Capture(Work work) {
    cudaGraph_t graph = nullptr;
    CHECK(cudaStreamBeginCapture(stream_, cudaStreamCaptureModeThreadLocal));
    framework_.BeginCapture();
    work();
    framework_.EndCapture();
    CHECK(cudaStreamEndCapture(stream_, &graph));
    return graph;
  }

  void Replay(cudaGraph_t graph) {
    cudaGraphExec_t executable = nullptr;
    CHECK(cudaGraphInstantiate(&executable, graph, 0));
    for (unsigned i = 0; i < kReplays; ++i) CHECK(cudaGraphLaunch(executable, stream_));
    CHECK(cudaStreamSynchronize(stream_));
    std::vector<float> seen(result_->expected.size());
    CHECK(cudaMemcpy(seen.data(), result_->data, seen.size() * sizeof(float),
                     cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < seen.size(); ++i) {
      jobs::Expect(seen[i] == result_->expected[i], "another result at", static_cast<long long>(i));
    }
    std::printf("torch_blocks %g %g %g %g\n", seen[0], seen[kCount], seen[2 * kCount],
                seen[3 * kCount]);
    CHECK(cudaGraphExecDestroy(executable));
    CHECK(cudaGraphDestroy(graph));
  }

  const Options& options_;
  Framework& framework_;
  cudaStream_t stream_ = nullptr, other_ = nullptr;
  std::vector<void*> memory_;  // of the segments
  TensorRef input_, weights_, result_, at_end_;
};

}  // namespace

int main(int argc, char** argv) {
  const Options options = Parse(argc, argv);
  if (options.late) CHECK(cudaFree(nullptr));
  std::FILE* truth = options.truth == nullptr ? nullptr : std::fopen(options.truth, "w");
  Framework framework = LoadTorch(truth);
  Job(options, framework).Run();
  if (truth != nullptr) std::fclose(truth);
  return 0;
}
