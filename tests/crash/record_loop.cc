// Records without end, as a job does that replays graphs: messages one by one, replays counted and
// collected before each flush, new definitions now and then. Until somebody kills it.
// Usage: record_loop FOLDER PROGRESS
#include "tests/crash/record_loop.h"

#include <poll.h>

#include <atomic>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "interpose/record/recorder.h"

namespace graphtap::crash {
namespace {

constexpr int kRecordsPerMillisecond = 50;

class Replays {
 public:
  void Launch() { ++launched_; }

  void Collect(record::Recorder& recorder) {
    const std::uint64_t last = launched_;
    if (last == collected_) return;
    record::ReplayRange range;
    range.first = std::exchange(collected_, last) + 1;
    range.last = last;
    range.last_ns = NowNs();
    recorder.Append(range);
  }

 private:
  std::atomic<std::uint64_t> launched_ = 0;
  std::uint64_t collected_ = 0;  // used by the writer thread alone
};

int Main(const char* folder, const char* progress_path) {
  Progress* const progress = OpenProgress(progress_path);
  Replays replays;
  record::Recorder::Options options;
  options.folder = folder;
  options.repeat_bytes = 100'000;
  options.before_flush = [&](record::Recorder& recorder) { replays.Collect(recorder); };
  record::Run run;
  run.host = "host";
  std::string error;
  const auto recorder = record::Recorder::Start(std::move(options), run, &error);
  if (progress == nullptr || recorder == nullptr) {
    std::fprintf(stderr, "record_loop: cannot start: %s\n", error.c_str());
    return 2;
  }
  record::Message message;
  for (;; ++message.code) {
    if (message.code % kRecordsPerMillisecond == 0) poll(nullptr, 0, 1);
    if (message.code % 1000 == 0) recorder->Intern("text " + std::to_string(message.code));
    message.time_ns = NowNs();
    replays.Launch();
    recorder->Append(message);
    progress->time_ns = message.time_ns;
    progress->records = message.code + 1;
  }
}

}  // namespace
}  // namespace graphtap::crash

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fprintf(stderr, "usage: record_loop FOLDER PROGRESS\n");
    return 2;
  }
  return graphtap::crash::Main(argv[1], argv[2]);
}
