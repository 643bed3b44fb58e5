// Recorder fixture: a recorder that writes into a temporary folder, a gate to hold its writer
// thread, and the file that came out, read strictly. Owner: the test.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <future>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "interpose/record/recorder.h"
#include "tests/unit/recorded_file.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::record {

// Holds the first thread that passes until it is opened. Threads: any.
class Gate {
 public:
  void Pass() {
    if (first_) arrived_.set_value();
    first_ = false;
    opened_.wait();
  }
  void WaitUntilHeld() { arrived_.get_future().wait(); }
  void Open() { open_.set_value(); }

 private:
  bool first_ = true;  // used by the passing thread alone
  std::promise<void> arrived_, open_;
  std::shared_future<void> opened_ = open_.get_future().share();
};

inline Message Coded(std::uint32_t code, std::string detail = {}) {
  return {.code = code, .detail = std::move(detail)};
}

class RecorderTest : public testing::Test {
 protected:
  static constexpr std::chrono::seconds kDeadline{60};

  RecorderTest() { options_.folder = folder_.path(); }

  std::unique_ptr<Recorder> Start() {
    record::Run run;
    run.run_id = "r7";
    run.host = "node/1";
    run.pid = 42;
    run.start_realtime_ns = 0x1234abcd;
    std::string error;
    auto recorder = Recorder::Start(options_, run, &error);
    EXPECT_NE(recorder, nullptr) << error;
    return recorder;
  }

  void Finish(Recorder& recorder) {
    EXPECT_TRUE(recorder.Finish({.how = Ending::kExit, .exit_code = 3, .time_ns = 9}, kDeadline));
  }

  RecordedFile Read() { return ReadRecordedFile(OnlyFileIn(folder_.path())); }

  // What the file says at last about each cause.
  std::map<std::uint32_t, std::uint64_t> Losses() {
    std::map<std::uint32_t, std::uint64_t> losses;
    for (const Entry& entry : Read().Entries(FrameKind::kRecords)) {
      if (entry.has_loss()) losses[entry.loss().cause()] = entry.loss().count();
    }
    return losses;
  }

  std::vector<std::uint32_t> MessageCodes() {
    std::vector<std::uint32_t> codes;
    for (const Entry& entry : Read().Entries(FrameKind::kRecords)) {
      if (entry.has_message()) codes.push_back(entry.message().code());
    }
    return codes;
  }

  TemporaryFolder folder_;
  Recorder::Options options_;
};

}  // namespace graphtap::record
