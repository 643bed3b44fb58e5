// Comparisons of two runs that are made here, place by place.
#include "analyzer/tensors/compare_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "proto/digest.h"
#include "tests/unit/temporary_folder.h"

namespace graphtap::tensors {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string Floats(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

// One node, a kernel of this name, and what was observed of its first argument in one replay, or of
// the output of its operator, if it has one.
struct Place {
  std::string kernel;
  std::string bytes;
  bool copied = false;
  bool hashed = true;
  bool exact = true;
  bool observed = true;
  Dtype dtype = Dtype::kFloat32;
  std::string op = {};
};

// The operator of the node.
std::string Operator(const Place& place, std::size_t node) {
  return absl::StrFormat(
      "entry { string { id: %u text: \"%s\" } } entry { op { graph: 0 index: %u name: %u "
      "invocation: 0 tensors { role: ROLE_OUTPUT index: 0 sizes: %u } } }\n",
      node + 50, place.op, node, node + 50, place.bytes.size());
}

std::string Observation(const Place& place, std::size_t node, std::uint64_t replay) {
  const auto digest = DigestOf(std::as_bytes(std::span(place.bytes)), place.dtype);
  std::string text = absl::StrFormat("entry { observation { site: %u replay: %u ", node, replay);
  if (place.hashed) absl::StrAppendFormat(&text, "hash: %u ", digest.hash);
  if (digest.statistics) {
    absl::StrAppendFormat(&text, "statistics { nan: %u } ", digest.statistics->nan);
  }
  if (!place.copied) return text + "} }\n";
  absl::StrAppendFormat(&text, "payload: %u payload_bytes: %u } }\n", node * 100 + replay,
                        place.bytes.size());
  for (std::size_t at = 0; at < place.bytes.size(); at += 1u << 20) {
    absl::StrAppendFormat(&text,
                          "entry { payload_piece { payload: %u offset: %u bytes: \"%s\" } }\n",
                          node * 100 + replay, at, absl::CEscape(place.bytes.substr(at, 1u << 20)));
  }
  return text;
}

std::string Definitions(const std::vector<Place>& places) {
  std::string text = R"(
    entry { run { run_id: "r" host: "h" pid: 1 start_realtime_ns: 1 program: "job" } }
    entry { string { id: 0 text: "step#0" } }
    entry { graph { id: 0 number: 0 version: 0 key: 0 } })";
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& place = places[i];
    absl::StrAppendFormat(
        &text,
        "entry { string { id: %u text: \"%s\" } } entry { function { id: %u name: %u } }\n"
        "entry { node { graph: 0 index: %u position: %u parameters { kind: 0 kernel { function: %u "
        "grid_x: 1 } } %s } }\n",
        i + 1, place.kernel, i, i + 1, i, i, i,
        place.op.empty() ? "" : absl::StrFormat("op: %u", i));
    if (!place.op.empty()) text += Operator(place, i);
    if (!place.observed) continue;
    absl::StrAppendFormat(
        &text,
        "entry { site { id: %u executable: 0 graph: 0 node: %u role: %s parameter: 0 %s: %u "
        "dtype: %u grade: GRADE_OP version: 1 } }\n",
        i, i, place.op.empty() ? "ROLE_ARGUMENT" : "ROLE_OUTPUT",
        place.exact ? "bytes" : "cut_bytes", place.bytes.size(),
        static_cast<unsigned>(place.dtype));
  }
  return text + "entry { executable { number: 0 graph: 0 key: 0 } }\n";
}

constexpr char kEnd[] = "entry { end { how: HOW_EXIT exit_code: 0 } }\n";

class CompareRunsTest : public testing::Test {
 protected:
  // The places observed in replay 1 of 1.
  static std::string Run(const std::vector<Place>& places) {
    std::string text = Definitions(places);
    text += "entry { replay_range { executable: 0 first: 1 last: 1 } }\n";
    text += "entry { replay { executable: 0 number: 1 sampled: true } }\n";
    for (std::size_t i = 0; i < places.size(); ++i) {
      if (places[i].observed) text += Observation(places[i], i, 1);
    }
    return text + kEnd;
  }

  model::Run Load(const std::string& text) {
    folders_.push_back(std::make_unique<TemporaryFolder>());
    const auto files = exporting::ParseEntryText(text);
    EXPECT_TRUE(files.ok()) << files.status();
    exporting::FrameWriter writer(exporting::Compression::kZstd);
    for (const auto& entry : files->front().entries) writer.Append(entry);
    std::ofstream(folders_.back()->path() + "/h.1.1.gtap", std::ios::binary) << writer.Take();
    auto run = model::LoadRun(folders_.back()->path());
    EXPECT_TRUE(run.ok()) << run.status();
    return *std::move(run);
  }

  RunComparison Compare(const std::string& reference, const std::string& candidate,
                        const CompareOptions& options = {}) {
    runs_.push_back(std::make_unique<model::Run>(Load(reference)));
    runs_.push_back(std::make_unique<model::Run>(Load(candidate)));
    auto result = CompareRuns(*runs_[runs_.size() - 2], *runs_.back(), options);
    EXPECT_TRUE(result.ok()) << result.status();
    return *std::move(result);
  }

  // The one pair of observations of two runs with one place.
  Comparison CompareOne(const Place& reference, const Place& candidate,
                        const CompareOptions& options = {}) {
    const auto result = Compare(Run({reference}), Run({candidate}), options);
    return result.processes.at(0).executables.at(0).replays.at(0).observations.at(0);
  }

  static CompareOptions Allclose() {
    CompareOptions options;
    options.tolerance.mode = arrays::Mode::kAllclose;
    return options;
  }

  static std::string Says(const Comparison& item) {
    static constexpr const char* kStatuses[] = {"match", "inconclusive", "mismatch"};
    static constexpr const char* kKinds[] = {"match",          "value",          "metadata",
                                             "reference_only", "candidate_only", "payload"};
    return absl::StrFormat("%s/%s", kStatuses[static_cast<int>(item.status)],
                           kKinds[static_cast<int>(item.kind)]);
  }

  std::vector<std::unique_ptr<TemporaryFolder>> folders_;
  std::vector<std::unique_ptr<model::Run>> runs_;
};

TEST_F(CompareRunsTest, HashesDecideWhatWasNotCopied) {
  const Place place = {.kernel = "a", .bytes = Floats({1, 2})};
  const Place near = {.kernel = "a", .bytes = Floats({1, 2.000001f})};
  EXPECT_EQ(Says(CompareOne(place, place)), "match/match");
  EXPECT_EQ(Says(CompareOne(place, place, Allclose())), "match/match");
  EXPECT_EQ(Says(CompareOne(place, near, Allclose())), "inconclusive/payload");
  const auto exact = CompareOne(place, near);
  EXPECT_EQ(Says(exact), "mismatch/value");
  EXPECT_THAT(exact.reason, HasSubstr("hashes differ"));
  EXPECT_FALSE(exact.mismatches);
  EXPECT_EQ(exact.total, 2u);
}

TEST_F(CompareRunsTest, CopiesDecideWhatAToleranceAllows) {
  const Place place = {.kernel = "a", .bytes = Floats({1, 2}), .copied = true};
  const Place near = {.kernel = "a", .bytes = Floats({1, 2.000001f}), .copied = true};
  EXPECT_EQ(Says(CompareOne(place, near, Allclose())), "match/match");
  const auto exact = CompareOne(place, near);
  EXPECT_EQ(Says(exact), "mismatch/value");
  EXPECT_EQ(exact.mismatches, 1u);
  EXPECT_EQ(exact.metrics->first_mismatch->index, 1u);
}

TEST_F(CompareRunsTest, OtherTypesAndSizesAreMetadata) {
  const Place place = {.kernel = "a", .bytes = Floats({1, 2}), .copied = true};
  Place other = place;
  other.dtype = Dtype::kInt32;
  EXPECT_EQ(Says(CompareOne(place, other)), "mismatch/metadata");
  other = place;
  other.bytes += other.bytes;
  EXPECT_EQ(Says(CompareOne(place, other)), "mismatch/metadata");
  other = place;
  other.dtype = Dtype::kUnknown;  // says nothing
  EXPECT_EQ(Says(CompareOne(place, other)), "match/match");
}

TEST_F(CompareRunsTest, ANanIsCloseToNothing) {
  Place place = {.kernel = "a", .bytes = Floats({1, std::numeric_limits<float>::quiet_NaN()})};
  EXPECT_EQ(Says(CompareOne(place, place)), "match/match");
  const auto counted = CompareOne(place, place, Allclose());
  EXPECT_EQ(Says(counted), "mismatch/value");
  EXPECT_EQ(counted.mismatches, 1u);
  EXPECT_FALSE(counted.metrics);
  place.copied = true;
  EXPECT_EQ(CompareOne(place, place, Allclose()).metrics->first_mismatch->index, 1u);
  CompareOptions equal_nan = Allclose();
  equal_nan.tolerance.equal_nan = true;
  EXPECT_EQ(Says(CompareOne(place, place, equal_nan)), "match/match");
}

TEST_F(CompareRunsTest, WhatIsCutIsNeverAMismatch) {
  const Place place = {.kernel = "a", .bytes = Floats({1, 2}), .copied = true, .exact = false};
  Place other = place;
  other.bytes = Floats({1, 3});
  EXPECT_EQ(Says(CompareOne(place, place)), "match/match");
  EXPECT_EQ(Says(CompareOne(place, other)), "inconclusive/value");
  other.copied = false;
  EXPECT_EQ(Says(CompareOne(place, other)), "inconclusive/value");
  other.bytes = Floats({1, 2, 3});  // another extent
  EXPECT_EQ(Says(CompareOne(place, other)), "inconclusive/payload");
}

TEST_F(CompareRunsTest, WhatMayHaveCausedTheFirstMismatchIsNamed) {
  const Place cut = {.kernel = "a", .bytes = Floats({1}), .exact = false};
  const Place exact = {.kernel = "b", .bytes = Floats({1})};
  Place other_cut = cut, other_exact = exact;
  other_cut.bytes = other_exact.bytes = Floats({2});
  const auto caused = Compare(Run({cut, exact}), Run({other_cut, other_exact}));
  EXPECT_EQ(caused.first->observation->reference->site->name, "b.arg0");
  ASSERT_TRUE(caused.before_first);
  EXPECT_EQ(caused.before_first->observation->reference->site->name, "a.arg0");
  const auto behind = Compare(Run({exact, cut}), Run({other_exact, other_cut}));
  EXPECT_EQ(behind.first->observation->reference->site->name, "b.arg0");
  EXPECT_FALSE(behind.before_first);
}

TEST_F(CompareRunsTest, LargeCopiesAreComparedInPieces) {
  std::string bytes(5u << 19, '\x01'), changed = bytes;  // 2.5 MiB
  changed.back() = '\x02';
  const Place place = {.kernel = "a", .bytes = bytes, .copied = true, .dtype = Dtype::kUint8};
  Place other = place;
  other.bytes = changed;
  const auto item = CompareOne(place, other);
  EXPECT_EQ(item.mismatches, 1u);
  EXPECT_EQ(item.metrics->first_mismatch->index, bytes.size() - 1);
  EXPECT_EQ(item.metrics->compared, bytes.size());
}

TEST_F(CompareRunsTest, TheOrderOfNodesIsOnlyAWarning) {
  const Place a = {.kernel = "a", .bytes = Floats({1})}, b = {.kernel = "b", .bytes = Floats({2})};
  const auto result = Compare(Run({a, b}), Run({b, a}));
  EXPECT_EQ(result.status, Status::kMatch);
  EXPECT_THAT(result.warnings, ElementsAre(HasSubstr("another order")));
}

TEST_F(CompareRunsTest, ANodeThatIsMissingIsAMismatchAndShiftsNothing) {
  const Place first = {.kernel = "a", .bytes = Floats({1})};
  const Place second = {.kernel = "a", .bytes = Floats({2})};
  const Place last = {.kernel = "b", .bytes = Floats({3})};
  const Place other = {.kernel = "c", .bytes = Floats({9})};
  const auto more = Compare(Run({first, second, last}), Run({first, other, second, last}));
  EXPECT_EQ(more.status, Status::kMismatch);
  EXPECT_EQ(more.matched, 3u);
  EXPECT_EQ(Says(*more.first->observation), "mismatch/candidate_only");
  const auto less = Compare(Run({first, other, second, last}), Run({first, second, last}));
  EXPECT_EQ(less.matched, 3u);
  EXPECT_EQ(Says(*less.first->observation), "mismatch/reference_only");
  const auto& structures = more.processes.at(0).executables.at(0).structures;
  EXPECT_EQ(structures.at(0).inserted.at(0)->name, "c");
}

// As on another GPU, whose libraries have other kernels.
TEST_F(CompareRunsTest, AnOperatorsOutputsPairWhicheverKernelsItRuns) {
  const Place mm = {.kernel = "tiles_64", .bytes = Floats({1}), .op = "aten::mm"};
  const Place add = {.kernel = "add", .bytes = Floats({2}), .op = "aten::add"};
  Place other = mm;
  other.kernel = "tiles_128";
  const auto same = Compare(Run({mm, add}), Run({other, add}));
  EXPECT_EQ(same.status, Status::kMatch);
  EXPECT_EQ(same.matched, 2u);
  other.op = "aten::bmm";
  const auto changed = Compare(Run({mm, add}), Run({other, add}));
  EXPECT_EQ(changed.matched, 1u);
  EXPECT_EQ(Says(*changed.first->observation), "mismatch/candidate_only");
  EXPECT_THAT(changed.first->observation->reason, HasSubstr("no such operator"));
}

// One was recorded without an adapter.
TEST_F(CompareRunsTest, AnOperatorThatOnlyOneRunKnowsDecidesNothing) {
  const Place copy = {.kernel = "copy", .bytes = Floats({3})};
  Place mm = {.kernel = "tiles_64", .bytes = Floats({1}), .op = "aten::mm"};
  const std::string known = Run({mm, copy});
  mm.op = "";
  mm.observed = false;
  const auto result = Compare(known, Run({mm, copy}));
  EXPECT_EQ(result.matched, 1u);
  EXPECT_EQ(Says(*result.first->observation), "inconclusive/reference_only");
  EXPECT_THAT(result.first->observation->reason, HasSubstr("knows no operators"));
}

TEST_F(CompareRunsTest, APlaceThatWasNotObservedDecidesNothing) {
  const Place a = {.kernel = "a", .bytes = Floats({1})};
  Place b = {.kernel = "b", .bytes = Floats({2})};
  const std::string both = Run({a, b});
  b.observed = false;
  const auto result = Compare(both, Run({a, b}));
  EXPECT_EQ(result.status, Status::kInconclusive);
  EXPECT_EQ(Says(*result.first->observation), "inconclusive/reference_only");
}

// Replays 1 to `last` were made; of those that are due a negative number was lost.
std::string Replays(std::uint64_t last, const std::vector<int>& due, bool ended = true) {
  const Place place = {.kernel = "a", .bytes = Floats({1})};
  std::string text = Definitions({place});
  absl::StrAppendFormat(&text, "entry { replay_range { executable: 0 first: 1 last: %u } }\n",
                        last);
  for (const int number : due) {
    absl::StrAppendFormat(&text, "entry { replay { executable: 0 number: %d %s } }\n",
                          std::abs(number), number < 0 ? "lost: 10" : "sampled: true");
    if (number > 0) text += Observation(place, 0, static_cast<std::uint64_t>(number));
  }
  return text + (ended ? kEnd : "");
}

TEST_F(CompareRunsTest, ReplaysThatCannotBeComparedAreCountedByTheirReason) {
  const auto all = Replays(9, {1, 3, 5, 9});
  const auto counts = [&](const std::string& candidate) {
    const auto result = Compare(all, candidate);
    const auto& executable = result.processes.at(0).executables.at(0);
    EXPECT_EQ(result.status, executable.status);
    return std::tuple(executable.compared, executable.not_sampled, executable.lost,
                      executable.reference_only, executable.status);
  };
  EXPECT_EQ(counts(all), std::tuple(4, 0, 0, 0, Status::kMatch));
  EXPECT_EQ(counts(Replays(9, {1, 4, 9})), std::tuple(2, 3, 0, 0, Status::kMatch));
  EXPECT_EQ(counts(Replays(9, {1, -3, 5, 9})), std::tuple(3, 0, 1, 0, Status::kInconclusive));
  EXPECT_EQ(counts(Replays(8, {1, 3, 5})), std::tuple(3, 0, 0, 1, Status::kMismatch));
  EXPECT_EQ(counts(Replays(8, {1, 3, 5}, false)), std::tuple(3, 0, 0, 1, Status::kInconclusive));
}

TEST_F(CompareRunsTest, TheNthObservedPairsWithTheNth) {
  CompareOptions options;
  options.pairing.by = PairBy::kNth;
  const auto result = Compare(Replays(9, {1, -2, 5}), Replays(9, {4, 7}), options);
  EXPECT_EQ(result.status, Status::kMatch);
  const auto& replays = result.processes.at(0).executables.at(0).replays;
  ASSERT_EQ(replays.size(), 2u);
  EXPECT_EQ(replays.at(1).pair.reference, 5u);
  EXPECT_EQ(replays.at(1).pair.candidate, 7u);
  // One without a partner: never made, or lost.
  EXPECT_EQ(Compare(Replays(9, {1, 2}), Replays(9, {1}), options).status, Status::kMismatch);
  EXPECT_EQ(Compare(Replays(9, {1, 2}), Replays(9, {1, -2}), options).status,
            Status::kInconclusive);
}

TEST_F(CompareRunsTest, NothingToCompareIsInconclusive) {
  const std::string empty = "entry { run { run_id: \"r\" host: \"h\" pid: 1 program: \"job\" } }";
  const auto result = Compare(empty, empty);
  EXPECT_EQ(result.status, Status::kInconclusive);
  EXPECT_THAT(result.warnings, ElementsAre("nothing was compared"));
}

}  // namespace
}  // namespace graphtap::tensors
