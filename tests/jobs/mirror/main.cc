// Executables that are changed between launches by every call that can, and what each node then
// leaves, worked out on the host.
//   mirror [--case NAME] [--replays N] [--streams N] [--wait] [--nodes] [--truth FILE]
// --case: one of those that --list prints, each with the loss that a recording of it may have
// (default: all); --list-in-place prints those whose graphs cannot be cloned. --replays: launches
// of each executable (60). --streams: on which they take turns (1 to 4; 1). --wait: for each launch
// before the next change; else the host runs ahead. --nodes: prints how many nodes the graph has at
// the end. --truth: JSON lines, the words that each operand of each node holds right behind it in
// each replay; of a node that runs several times, behind the last time.
// Prints a checksum for each case. Exit 1 if anything is not as worked out, 2 for bad arguments.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "tests/jobs/cuda_check.h"
#include "tests/jobs/mirror/cases.h"

namespace mirror {
namespace {

constexpr unsigned kMaxStreams = 4;

struct Options {
  std::string_view only;
  unsigned replays = 60;
  unsigned streams = 1;
  bool wait = false;
  bool nodes = false;
  const char* truth = nullptr;
};

class Streams {
 public:
  explicit Streams(unsigned count) : streams_(count) {
    for (cudaStream_t& stream : streams_) {
      CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    }
  }
  ~Streams() {
    for (const cudaStream_t stream : streams_) CHECK(cudaStreamDestroy(stream));
  }
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  cudaStream_t At(unsigned launch) const { return streams_[launch % streams_.size()]; }

 private:
  std::vector<cudaStream_t> streams_;
};

// CUDA orders the launches of one executable; those of several are ordered here.
void LaunchInOrder(Subject& subject, Setting& setting, cudaStream_t stream, Truth& truth) {
  if (setting.last != nullptr && setting.last != stream) {
    CHECK(cudaEventRecord(setting.launched, setting.last));
    CHECK(cudaStreamWaitEvent(stream, setting.launched, 0));
  }
  subject.Launch(stream, truth);
}

void CheckBuffers(Setting& setting) {
  for (const Buffer* buffer : setting.All()) {
    Words seen{};
    CHECK(cudaMemcpy(seen.data(), buffer->device, sizeof(Words), cudaMemcpyDeviceToHost));
    for (unsigned i = 0; i < kWords; ++i) {
      jobs::Expect(seen[i] == buffer->words[i], std::to_string(buffer->words[i]).c_str(), seen[i]);
    }
  }
  for (const Counter& counter : setting.counters) {
    jobs::Expect(counter.seen == counter.expected, "all host calls", counter.seen);
  }
  for (const Marker& marker : setting.markers) {
    float time = 0;
    const bool recorded = cudaEventElapsedTime(&time, marker.event, marker.event) == cudaSuccess;
    jobs::Expect(recorded == marker.recorded, "the events that were recorded", recorded);
  }
  cudaGetLastError();  // of an event that was not recorded
}

std::uint64_t Checksum(Setting& setting) {
  std::uint64_t sum = 0xcbf29ce484222325;
  for (const Buffer* buffer : setting.All()) {
    for (const unsigned word : buffer->words) sum = (sum ^ word) * 0x100000001b3;
  }
  return sum;
}

void Launches(const Case& which, const Options& options, Setting& setting,
              std::vector<std::unique_ptr<Subject>>& subjects, Truth& truth) {
  const Streams streams(options.streams);
  for (unsigned k = 0; k < options.replays * subjects.size(); ++k) {
    Subject& subject = *subjects[k % subjects.size()];
    if (k % which.every == which.every - 1) {
      which.change(subject, setting, k / which.every + 1);
    }
    const cudaStream_t stream = streams.At(k / static_cast<unsigned>(subjects.size()));
    if (subjects.size() > 1) {
      LaunchInOrder(subject, setting, stream, truth);
    } else {
      subject.Launch(stream, truth);
    }
    setting.last = stream;
    setting.gate_opened = setting.gate_closed;
    if (options.wait) CHECK(cudaStreamSynchronize(stream));
  }
  CHECK(cudaDeviceSynchronize());
}

void Run(const Case& which, const Options& options, Truth& truth) {
  Setting setting;
  setting.truth = &truth;
  std::vector<std::unique_ptr<Subject>> subjects;
  const Nodes nodes = NodesOf(which.shape, setting);
  subjects.push_back(
      std::make_unique<Subject>(nodes, which.shape == Shape::kCaptured ? setting.side : nullptr));
  while (subjects.size() < which.executables) {
    subjects.push_back(std::make_unique<Subject>(*subjects.front(), nodes));
  }
  Launches(which, options, setting, subjects, truth);
  CheckBuffers(setting);
  for (const auto& subject : subjects) subject->WriteReplays(truth);
  if (options.nodes) std::printf("%s nodes %zu\n", which.name, subjects.front()->CountNodes());
  std::printf("%s checksum %016llx\n", which.name,
              static_cast<unsigned long long>(Checksum(setting)));
}

[[noreturn]] void Usage() {
  std::fprintf(
      stderr,
      "mirror [--case NAME] [--replays N] [--streams 1..%u] [--wait] [--nodes] [--truth FILE] "
      "[--list | --list-in-place]\n",
      kMaxStreams);
  std::exit(2);
}

unsigned Number(const char* text, unsigned most) {
  char* end = nullptr;
  const unsigned long number = std::strtoul(text, &end, 10);
  if (*end != '\0' || number < 1 || number > most) Usage();
  return static_cast<unsigned>(number);
}

Options Parse(int argc, char** argv) {
  Options options;
  for (int i = 1; i < argc; ++i) {
    const std::string_view option = argv[i];
    if (option == "--wait" || option == "--nodes") {
      (option == "--wait" ? options.wait : options.nodes) = true;
      continue;
    }
    if (option == "--list" || option == "--list-in-place") {
      for (const Case& which : AllCases()) {
        if (IsClonable(which.shape) != (option == "--list")) continue;
        std::printf("%s %s\n", which.name, which.may_lose);
      }
      std::exit(0);
    }
    if (++i == argc) Usage();
    if (option == "--case") {
      options.only = argv[i];
    } else if (option == "--replays") {
      options.replays = Number(argv[i], 1000000);
    } else if (option == "--streams") {
      options.streams = Number(argv[i], kMaxStreams);
    } else if (option == "--truth") {
      options.truth = argv[i];
    } else {
      Usage();
    }
  }
  return options;
}

}  // namespace
}  // namespace mirror

int main(int argc, char** argv) {
  const mirror::Options options = mirror::Parse(argc, argv);
  mirror::Truth truth(options.truth);
  bool found = false;
  for (const mirror::Case& which : mirror::AllCases()) {
    if (!options.only.empty() && options.only != which.name) continue;
    found = true;
    mirror::Run(which, options, truth);
  }
  if (found) return 0;
  std::fprintf(stderr, "mirror: no case %s; --list names them\n",
               std::string(options.only).c_str());
  return 2;
}
