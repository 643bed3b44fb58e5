// Two runs of one deterministic job give the same stable text, whatever differs between them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "absl/strings/str_format.h"
#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "analyzer/model/run.h"
#include "analyzer/report/dump_text.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string StableText(const std::string& text) {
  const TemporaryFolder folder;
  const auto files = exporting::ParseEntryText(text);
  EXPECT_TRUE(files.ok()) << files.status();
  for (const auto& file : *files) {
    exporting::FrameWriter writer(exporting::Compression::kZstd);
    for (const auto& entry : file.entries) writer.Append(entry);
    std::ofstream(folder.path() + '/' + file.name, std::ios::binary) << writer.Take();
  }
  const auto run = model::LoadRun(folder.path());
  EXPECT_TRUE(run.ok()) << run.status();
  return report::StableDump(*run, 0);
}

constexpr const char* kFirst = R"(
file: "a.10.1.gtap"
entry { run { run_id: "one" host: "a" pid: 10 start_realtime_ns: 1 program: "train" rank: 0 } }
entry { string { id: 0 text: "_Z1fi" } }
entry { string { id: 1 text: "step#10" } }
entry { string { id: 2 text: "step#9" } }
entry { function { id: 0 name: 0 } }
entry { thread { id: 0 system_id: 10 name: "train" } }
entry { stream { id: 0 kind: KIND_CREATED handle: 7 } }
entry { capture { number: 0 key: 1 stream: 0 thread: 0 begin_ns: 5 outcome: OUTCOME_OPEN } }
entry { capture { number: 0 key: 1 stream: 0 thread: 0 begin_ns: 5 end_ns: 6 outcome: OUTCOME_GRAPH graph: 0 } }
entry { graph { id: 0 number: 0 version: 0 key: 1 capture: 0 time_ns: 7 } }
entry { node { graph: 0 index: 0 position: 0 parameters { kind: 0 kernel { function: 0 grid_x: 1 } operands { parameter: 0 address: 4096 extent: 64 } } } }
entry { executable { number: 0 graph: 0 key: 1 thread: 0 time_ns: 8 } }
entry { graph { id: 1 number: 1 version: 0 key: 2 time_ns: 9 } }
entry { replay_range { executable: 0 first: 1 last: 40 streams: 0 first_ns: 10 last_ns: 20 } }
entry { replay_range { executable: 0 first: 41 last: 100 streams: 0 first_ns: 21 last_ns: 40 } }
entry { end { how: HOW_EXIT exit_code: 0 time_ns: 50 } }
file: "a.11.2.gtap"
entry { run { run_id: "one" host: "a" pid: 11 start_realtime_ns: 2 program: "train" rank: 1 } }
)";

// Other ids, order, times, addresses, processes, frames; a definition twice; rank 1 starts first.
constexpr const char* kSecond = R"(
file: "b.77.5.gtap"
entry { run { run_id: "two" host: "b" pid: 77 start_realtime_ns: 5 program: "train" rank: 0 } }
entry { string { id: 5 text: "_Z1fi" } }
entry { string { id: 6 text: "step#10" } }
entry { string { id: 8 text: "step#9" } }
entry { string { id: 9 text: "of no interest" } }
entry { stream { id: 3 kind: KIND_CREATED handle: 9 } }
entry { function { id: 4 name: 5 } }
entry { thread { id: 2 system_id: 77 name: "worker" } }
entry { thread { id: 3 system_id: 78 } }
entry { capture { number: 0 key: 6 stream: 3 thread: 2 begin_ns: 105 end_ns: 106 outcome: OUTCOME_GRAPH graph: 0 } }
entry { graph { id: 7 number: 1 version: 0 key: 8 time_ns: 109 } }
entry { graph { id: 2 number: 0 version: 0 key: 6 capture: 0 time_ns: 107 } }
entry { node { graph: 2 index: 0 position: 0 parameters { kind: 0 kernel { function: 4 grid_x: 1 } operands { parameter: 0 address: 8192 extent: 128 } } } }
entry { executable { number: 0 graph: 2 key: 6 thread: 2 time_ns: 108 } }
entry { replay_range { executable: 0 first: 1 last: 100 streams: 3 first_ns: 110 last_ns: 120 } }
entry { graph { id: 2 number: 0 version: 0 key: 6 capture: 0 time_ns: 107 } }
entry { node { graph: 2 index: 0 position: 0 parameters { kind: 0 kernel { function: 4 grid_x: 1 } operands { parameter: 0 address: 8192 extent: 128 } } } }
entry { end { how: HOW_EXIT exit_code: 0 time_ns: 150 } }
file: "b.76.3.gtap"
entry { run { run_id: "two" host: "b" pid: 76 start_realtime_ns: 3 program: "train" rank: 1 } }
)";

TEST(StableDumpTest, TwoRunsOfOneJobGiveTheSameText) {
  EXPECT_EQ(StableText(kFirst), StableText(kSecond));
}

constexpr const char* kGraph = R"(
file: "a.10.1.gtap"
entry { run { run_id: "one" host: "a" pid: 10 program: "train" specification: "all=copy" } }
entry { string { id: 0 text: "f" } }
entry { function { id: 0 name: 0 } }
entry { graph { id: 0 number: 0 version: 0 key: 0 } }
entry { node { graph: 0 index: 0 position: 0 parameters { kind: 0 kernel { function: 0 } } } }
entry { executable { number: 0 graph: 0 key: 0 } }
)";

constexpr const char* kFirstObserved = R"(
entry { site { id: 0 executable: 0 graph: 0 node: 0 parameter: 0 address: 64 bytes: 2 copy_bytes: 2 } }
entry { site { id: 1 executable: 0 graph: 0 node: 0 parameter: 1 cut_bytes: 64 copy_bytes: 64 } }
entry { shadow { executable: 0 sites: 2 device_bytes: 1 slot_bytes: 2 duration_ns: 3 time_ns: 4 } }
entry { replay { executable: 0 number: 1 sampled: true time_ns: 5 stream: 0 } }
entry { observation { site: 0 replay: 1 payload: 0 payload_bytes: 2 } }
entry { observation { site: 1 replay: 1 hash: 7 payload: 1 payload_bytes: 64 } }
entry { payload_piece { payload: 0 offset: 0 bytes: "ab" } }
)";

// Other ids, addresses, extents, times and order; what is behind the cut site is something else.
constexpr const char* kSecondObserved = R"(
entry { site { id: 4 executable: 0 graph: 0 node: 0 parameter: 1 cut_bytes: 32 copy_bytes: 32 } }
entry { site { id: 5 executable: 0 graph: 0 node: 0 parameter: 0 address: 128 bytes: 2 copy_bytes: 2 } }
entry { replay { executable: 0 number: 1 sampled: true time_ns: 15 stream: 3 } }
entry { observation { site: 4 replay: 1 hash: 8 payload: 2 payload_bytes: 32 } }
entry { observation { site: 5 replay: 1 payload: 3 payload_bytes: 2 } }
entry { payload_piece { payload: 3 offset: 0 bytes: "ab" } }
entry { shadow { executable: 0 sites: 2 device_bytes: 9 slot_bytes: 8 duration_ns: 7 time_ns: 6 } }
)";

TEST(StableDumpTest, ObservationsOfTwoRunsAreEqual) {
  const auto first = StableText(std::string(kGraph) + kFirstObserved);
  EXPECT_EQ(first, StableText(std::string(kGraph) + kSecondObserved));
  EXPECT_THAT(first, HasSubstr("site: \"x0/0 f.arg0[0]\""));
  std::string changed = kSecondObserved;
  changed.replace(changed.find("\"ab\""), 4, "\"ac\"");
  EXPECT_NE(first, StableText(std::string(kGraph) + changed));
}

TEST(StableDumpTest, AnotherGridIsSeen) {
  std::string other = kSecond;
  for (std::size_t at = 0; (at = other.find("grid_x: 1", at)) != std::string::npos;) {
    other.replace(at, 9, "grid_x: 2");
  }
  EXPECT_NE(StableText(kFirst), StableText(other));
}

TEST(StableDumpTest, ReferencesAreWhatTheyPointToAndKeysAreInOrder) {
  const auto text = StableText(kFirst);
  EXPECT_THAT(text, HasSubstr("function: \"_Z1fi\""));
  EXPECT_THAT(text, HasSubstr("graph: \"g0.v0\""));
  EXPECT_THAT(text, HasSubstr("last: 100"));
  EXPECT_LT(text.find("key: \"step#9\""), text.find("key: \"step#10\""));
  EXPECT_LT(text.find("# process rank 0/train/0"), text.find("# process rank 1/train/0"));
  EXPECT_THAT(text, Not(HasSubstr("address")));
  EXPECT_THAT(text, Not(HasSubstr("_ns")));
}

}  // namespace
}  // namespace graphtap
