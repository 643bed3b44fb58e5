// An index of a run file as the recorder writes it: by the names of sites and the numbers of
// replays.
#include "interpose/values/run_index.h"

#include <gtest/gtest.h>

#include <string>

#include "tests/unit/contents.h"
#include "tests/unit/record_recorder_fixture.h"

namespace graphtap::values {
namespace {

using record::Node;
using record::PayloadId;
using record::Recorder;
using record::SiteId;

// Two kernels of one name in a scope, behind a copy.
class RunIndexTest : public record::RecorderTest {
 protected:
  void DefineGraph(Recorder& recorder) {
    record::Function function;
    function.name = recorder.Intern("_Z9scale_addPKfPfmff");
    const auto id = recorder.Define(function);
    std::vector<Node> nodes(3);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      nodes[i].index = nodes[i].position = i;
      nodes[i].scope = recorder.Intern("forward");
      nodes[i].parameters.kind = i == 0 ? 1 : 0;
      if (i > 0) nodes[i].parameters.kernel.emplace().function = id;
    }
    record::Graph step;
    step.key = recorder.Intern("step#0");
    const auto graph = recorder.Define(step, record::Contents(std::move(nodes)));
    record::Executable second;
    second.number = 4;
    second.graph = graph;
    second.key = recorder.Intern("step#0/x1");
    recorder.Define(second);
  }

  // The extent is a bound of eight bytes; all were copied.
  SiteId DefineSite(Recorder& recorder, std::uint32_t node) {
    record::Site site{.executable = 4, .node = node, .bytes = 8, .dtype = 3, .copy = true};
    if (node == 0) site.role = record::Role::kDestination;
    if (node > 0) site.parameter = 1;
    return recorder.Define(site);
  }

  void AppendBytes(Recorder& recorder, SiteId site, std::uint64_t replay,
                   const std::string& bytes) {
    const PayloadId payload = recorder.NextPayload();
    recorder.Append(record::Observation{.site = site,
                                        .replay = replay,
                                        .hash = 100 + replay,
                                        .payload = payload,
                                        .payload_bytes = bytes.size()});
    const auto all = std::as_bytes(std::span(bytes));
    recorder.AppendPiece(payload, 3, all.subspan(3));
    recorder.AppendPiece(payload, 0, all.first(3));
  }

  std::unique_ptr<frames::ByteSource> Source() {
    int error = 0;
    return frames::OpenFile(OnlyFileIn(folder_.path()), &error);
  }
};

TEST_F(RunIndexTest, FindsValuesByNameAndReplay) {
  auto recorder = Start();
  DefineGraph(*recorder);
  const SiteId copy = DefineSite(*recorder, 0), second = DefineSite(*recorder, 2);
  for (const std::uint64_t replay : {7u, 2u}) {
    AppendBytes(*recorder, second, replay, "replay " + std::to_string(replay));
  }
  recorder->Append(record::Observation{.site = copy, .replay = 2, .hash = 5});
  Finish(*recorder);
  const auto source = Source();
  RunIndex index(*source, 1u << 20);
  EXPECT_FALSE(index.Full());
  const std::string key = "step#0/x1/forward/scale_add.arg1[1]";
  const auto* seen = index.Find(key, 7);
  ASSERT_NE(seen, nullptr);
  EXPECT_EQ(seen->hash, 107u);
  EXPECT_EQ(index.SiteOf(*seen).dtype, Dtype::kFloat32);
  EXPECT_EQ(index.SiteOf(*seen).bytes, 8u);
  EXPECT_FALSE(index.SiteOf(*seen).exact);
  EXPECT_TRUE(index.SiteOf(*seen).comparable);
  std::string bytes(8, '\0');
  ASSERT_TRUE(index.Read(*seen->payload, 0, std::as_writable_bytes(std::span(bytes))));
  EXPECT_EQ(bytes, "replay 7");
  EXPECT_FALSE(index.Read(*seen->payload, 1, std::as_writable_bytes(std::span(bytes))));
  EXPECT_EQ(index.Find("step#0/x1/forward/memcpy.dst[0]", 2)->hash, 5u);
  EXPECT_EQ(index.Find(key, 3), nullptr);
  EXPECT_EQ(index.Find("step#0/x1/forward/scale_add.arg1[0]", 7), nullptr);
  EXPECT_TRUE(index.HasBytes(key));
  EXPECT_FALSE(index.HasBytes("step#0/x1/forward/scale_add.arg1[0]"));
}

TEST_F(RunIndexTest, StopsWhereItsMemoryEnds) {
  auto recorder = Start();
  DefineGraph(*recorder);
  const SiteId site = DefineSite(*recorder, 1);
  for (std::uint64_t replay = 1; replay <= 100; ++replay) {
    recorder->Append(record::Observation{.site = site, .replay = replay, .hash = replay});
  }
  Finish(*recorder);
  const auto source = Source();
  RunIndex index(*source, 4096);
  EXPECT_TRUE(index.Full());
  const std::string key = "step#0/x1/forward/scale_add.arg1[0]";
  EXPECT_NE(index.Find(key, 1), nullptr);
  EXPECT_EQ(index.Find(key, 100), nullptr);
}

}  // namespace
}  // namespace graphtap::values
