// One operator for each way in which a tensor's elements may lie, captured into one graph under a
// stand-in for PyTorch (tests/jobs/torch_like), and replayed.
//   torch_layouts [--in-graph] [--update] [--truth FILE]
// --in-graph: the tensors are in memory that the graph itself allocates. --update: before the last
// replay the executable is updated from a second capture, in which some tensors lie otherwise.
// --truth: writes what observations of the tensors must be: their memory, and how the elements lie
// in it. Prints "torch_layouts" and a checksum of the memory. Exit 1: a call or a value is wrong,
// 2: bad arguments.

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/torch_like/load.h"
#include "tests/jobs/torch_like/torch_like.h"

// Leaves words that are finite numbers in all types.
__global__ void stir(unsigned* words, int count, unsigned value) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count) words[i] = (words[i] * 5 + value + i) & 0x3fff3fff;
}

namespace {

using torch_like::Dtype;
using torch_like::Tensor;
using Numbers = std::vector<std::int64_t>;

constexpr unsigned kReplays = 3;

// How the tensors that one operator gives lie in one piece of memory.
struct Layout {
  std::int64_t first = 0;  // elements before it
  Numbers sizes, strides;
};
struct Operator {
  const char* name;
  Dtype dtype;
  std::vector<Layout> tensors;
  bool seen = true;               // else no probe can read it
  std::vector<Layout> updated{};  // if they lie otherwise after an update

  const std::vector<Layout>& TensorsOf(bool after_update) const {
    return after_update && !updated.empty() ? updated : tensors;
  }
};

const std::vector<Operator>& Operators() {
  static const Numbers kNineTwos(9, 2);
  static const std::vector<Operator> kOperators = {
      {"lies::in_order", Dtype::kFloat32, {{0, {6, 10}, {10, 1}}}},
      {"lies::transposed", Dtype::kFloat32, {{0, {6, 10}, {1, 6}}}, true, {{0, {10, 6}, {1, 10}}}},
      {"lies::transposed", Dtype::kFloat32, {{0, {300, 200}, {1, 300}}}},
      {"lies::transposed", Dtype::kComplex128, {{0, {5, 3}, {1, 5}}}},
      {"lies::transposed", Dtype::kFloat64, {{0, {3, 4}, {1, 3}}}},
      {"lies::transposed", Dtype::kInt8, {{0, {7, 9}, {1, 7}}}},
      {"lies::channels_last", Dtype::kBfloat16, {{0, {2, 3, 5, 7}, {105, 1, 21, 3}}}},
      {"lies::channels_last_3d", Dtype::kFloat32, {{0, {2, 3, 2, 3, 4}, {72, 1, 36, 12, 3}}}},
      {"lies::sliced", Dtype::kBfloat16, {{3, {9, 20}, {64, 2}}}, true, {{0, {3, 3}, {160, 2}}}},
      {"lies::sliced", Dtype::kInt8, {{1, {100}, {2}}}},
      {"lies::in_rows", Dtype::kFloat32, {{0, {8, 16}, {32, 1}}}},
      {"lies::expanded", Dtype::kFloat32, {{2, {4, 5, 3}, {0, 1, 0}}}},
      {"lies::expanded", Dtype::kFloat64, {{0, {3000}, {0}}}},
      {"lies::overlapping", Dtype::kBfloat16, {{0, {50, 8}, {1, 1}}}},
      {"lies::scalar", Dtype::kFloat32, {{1, {}, {}}}},
      {"lies::empty", Dtype::kFloat32, {{0, {0, 4}, {1, 7}}}, false},
      {"lies::two_ways", Dtype::kFloat32, {{0, {4, 8}, {8, 1}}, {0, {4, 8}, {1, 4}}}},
      {"lies::nine_ways",
       Dtype::kInt8,
       {{0, kNineTwos, {1, 2, 4, 8, 16, 32, 64, 128, 256}}},
       false},
  };
  return kOperators;
}

// What an operator's memory must hold.
int WordsOf(const Operator& op) {
  std::int64_t elements = 1;
  for (const Layout& layout : op.tensors) {
    std::int64_t last = layout.first;
    for (std::size_t d = 0; d < layout.sizes.size(); ++d) {
      last += std::max<std::int64_t>(layout.sizes[d] - 1, 0) * layout.strides[d];
    }
    elements = std::max(elements, last + 1);
  }
  return static_cast<int>((elements * ItemBytes(op.dtype) + 3) / 4);
}

// Where each operator's words begin; the last is the end of all. As an allocator places them.
std::vector<std::size_t> Places() {
  std::vector<std::size_t> places = {0};
  for (const Operator& op : Operators()) {
    const auto words = static_cast<std::size_t>(WordsOf(op));
    places.push_back(places.back() + (words + 127) / 128 * 128);
  }
  return places;
}

Tensor TensorOf(const Operator& op, const Layout& layout, const unsigned* words) {
  const auto item = ItemBytes(op.dtype);
  const auto before = static_cast<std::uint64_t>(layout.first) * item;
  const auto bytes = static_cast<std::uint64_t>(WordsOf(op)) * 4;
  return {reinterpret_cast<const char*>(words) + before,
          op.dtype,
          0,
          layout.sizes,
          layout.strides,
          bytes - before};
}

struct Options {
  bool in_graph = false, update = false;
  const char* truth = nullptr;
};

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view word = argv[i];
    if (word == "--truth" && i + 1 < argc) {
      options.truth = argv[++i];
    } else if (word == "--in-graph" || word == "--update") {
      (word == "--update" ? options.update : options.in_graph) = true;
    } else {
      std::fprintf(stderr, "torch_layouts [--in-graph] [--update] [--truth FILE]\n");
      std::exit(2);
    }
  }
  return options;
}

// What replay `replay`, from 1, leaves of the words of operator `op`.
void StirOnHost(std::vector<unsigned>& words, const std::vector<std::size_t>& places,
                std::size_t op) {
  const int count = WordsOf(Operators()[op]);
  for (int i = 0; i < count; ++i) {
    unsigned& word = words[places[op] + static_cast<std::size_t>(i)];
    word = (word * 5 + static_cast<unsigned>(op) + static_cast<unsigned>(i)) & 0x3fff3fff;
  }
}

void Launch(const torch_like::Functions& torch, const Operator& op, bool updated, unsigned number,
            unsigned* words, cudaStream_t stream) {
  const auto* told = torch.begin({op.name, false, stream});
  int count = WordsOf(op);
  stir<<<(count + 255) / 256, 256, 0, stream>>>(words, count, number);
  CHECK(cudaGetLastError());
  torch_like::Result result;
  for (const Layout& layout : op.TensorsOf(updated)) {
    const auto index = static_cast<unsigned>(result.outputs.size());
    result.outputs.push_back({index, TensorOf(op, layout, words)});
  }
  torch.end(told, result);
}

cudaGraph_t Capture(const Options& options, const torch_like::Functions& torch, bool updated,
                    const std::vector<std::size_t>& places, unsigned* memory, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  const std::size_t bytes = places.back() * sizeof(unsigned);
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  unsigned* words = memory;
  if (options.in_graph) {
    CHECK(cudaMallocAsync(&words, bytes, stream));
    CHECK(cudaMemcpyAsync(words, memory, bytes, cudaMemcpyDeviceToDevice, stream));
  }
  for (std::size_t i = 0; i < Operators().size(); ++i) {
    Launch(torch, Operators()[i], updated, static_cast<unsigned>(i), words + places[i], stream);
  }
  if (options.in_graph) {
    CHECK(cudaMemcpyAsync(memory, words, bytes, cudaMemcpyDeviceToDevice, stream));
    CHECK(cudaFreeAsync(words, stream));
  }
  CHECK(cudaStreamEndCapture(stream, &graph));
  return graph;
}

void PrintNumbers(std::FILE* truth, const char* name, const Numbers& numbers) {
  std::fprintf(truth, ", \"%s\": [", name);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    std::fprintf(truth, "%s%lld", i == 0 ? "" : ", ", static_cast<long long>(numbers[i]));
  }
  std::fprintf(truth, "]");
}

// The memory as it is, and how the elements lie in it.
void Tell(std::FILE* truth, unsigned replay, bool updated, std::size_t op, const unsigned* words) {
  const Operator& its = Operators()[op];
  unsigned occurrence = 0;
  for (std::size_t i = 0; i < op; ++i) {
    occurrence += std::string_view(Operators()[i].name) == its.name;
  }
  const Numbers memory(words, words + WordsOf(its));
  const auto& tensors = its.TensorsOf(updated);
  for (std::size_t i = 0; i < tensors.size() && its.seen; ++i) {
    const Layout& layout = tensors[i];
    std::fprintf(truth,
                 "{\"executable\": 0, \"replay\": %u, \"name\": \"%s\", \"occurrence\": %u, "
                 "\"operand\": \"out%zu\", \"item\": %u, \"first\": %lld",
                 replay, its.name, occurrence, i, ItemBytes(its.dtype),
                 static_cast<long long>(layout.first));
    PrintNumbers(truth, "sizes", layout.sizes);
    PrintNumbers(truth, "strides", layout.strides);
    PrintNumbers(truth, "words", memory);
    std::fprintf(truth, "}\n");
  }
}

// What the memory must hold at the end.
std::vector<unsigned> Calculate(const Options& options, std::vector<unsigned> words,
                                const std::vector<std::size_t>& places) {
  std::FILE* truth = options.truth == nullptr ? nullptr : std::fopen(options.truth, "w");
  for (unsigned replay = 1; replay <= kReplays; ++replay) {
    const bool updated = options.update && replay == kReplays;
    for (std::size_t op = 0; op < Operators().size(); ++op) {
      StirOnHost(words, places, op);
      if (truth != nullptr) Tell(truth, replay, updated, op, words.data() + places[op]);
    }
  }
  if (truth == nullptr) return words;
  std::fprintf(truth, "{\"executable\": 0, \"replays\": %u}\n", kReplays);
  std::fclose(truth);
  return words;
}

unsigned long long Checksum(const std::vector<unsigned>& words) {
  unsigned long long sum = 14695981039346656037ull;
  for (const unsigned word : words) sum = (sum ^ word) * 1099511628211ull;
  return sum;
}

void Run(const Options& options) {
  const torch_like::Functions& torch =
      torch_like::Load<decltype(torch_like_functions)>("torch_like_functions");
  const auto places = Places();
  std::vector<unsigned> words(places.back());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<unsigned>(i * i);
  const std::size_t bytes = words.size() * sizeof(unsigned);
  cudaStream_t stream = nullptr;
  CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  unsigned* memory = nullptr;
  CHECK(cudaMalloc(&memory, bytes));
  CHECK(cudaMemcpy(memory, words.data(), bytes, cudaMemcpyHostToDevice));

  cudaGraph_t graph = Capture(options, torch, false, places, memory, stream);
  cudaGraphExec_t executable = nullptr;
  CHECK(cudaGraphInstantiate(&executable, graph, 0));
  for (unsigned replay = 1; replay <= kReplays; ++replay) {
    if (options.update && replay == kReplays) {
      CHECK(cudaGraphDestroy(graph));
      graph = Capture(options, torch, true, places, memory, stream);
      cudaGraphExecUpdateResultInfo result{};
      CHECK(cudaGraphExecUpdate(executable, graph, &result));
    }
    CHECK(cudaGraphLaunch(executable, stream));
  }
  CHECK(cudaStreamSynchronize(stream));

  std::vector<unsigned> seen(words.size());
  CHECK(cudaMemcpy(seen.data(), memory, bytes, cudaMemcpyDeviceToHost));
  const auto expected = Calculate(options, words, places);
  const auto wrong = std::mismatch(seen.begin(), seen.end(), expected.begin()).first;
  jobs::Expect(wrong == seen.end(), "other words in memory from", wrong - seen.begin());
  std::printf("torch_layouts %016llx\n", Checksum(seen));

  CHECK(cudaGraphExecDestroy(executable));
  CHECK(cudaGraphDestroy(graph));
  CHECK(cudaFree(memory));
  CHECK(cudaStreamDestroy(stream));
}

}  // namespace

int main(int argc, char** argv) {
  Run(Parse(argc, argv));
  return 0;
}
