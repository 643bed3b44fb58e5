// What probes saw, as tables: the keys of sites, the order of observations, the bytes they copied.

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_format.h"
#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "analyzer/model/payload_reader.h"
#include "analyzer/model/process_builder.h"
#include "analyzer/model/references.h"

namespace graphtap::model {
namespace {

// The entries of `text` as a file, read back.
struct Built {
  std::string bytes;
  std::unique_ptr<Process> process;

  PayloadReader Payloads() const { return {*process, reader::OpenBytes(bytes)}; }
};

Built Build(const std::string& text) {
  const auto files = exporting::ParseEntryText(text);
  EXPECT_TRUE(files.ok()) << files.status();
  exporting::FrameWriter writer(exporting::Compression::kZstd);
  for (const Entry& entry : files->front().entries) writer.Append(entry);
  Built built = {.bytes = writer.Take(), .process = nullptr};
  const auto source = reader::OpenBytes(built.bytes);
  reader::EntryReader entries(*source);
  ProcessBuilder builder;
  Entry entry;
  while (*entries.Next(&entry)) builder.Add(std::move(entry), entries.place());
  built.process = builder.Finish();
  EXPECT_EQ(entries.damage().unknown_frames, 0u);
  return built;
}

// A graph of a memcpy, f, a child graph with f in it, and f again, all but the child in scope "a".
constexpr char kGraph[] = R"(
    entry { string { id: 0 text: "_Z1fPKfPiPvm" } }
    entry { string { id: 1 text: "step#0" } }
    entry { string { id: 2 text: "a" } }
    entry { function { id: 0 name: 0 } }
    entry { graph { id: 0 number: 0 version: 0 key: 1 } }
    entry { node { graph: 0 index: 0 position: 0 scope: 2 parameters { kind: 1 } } }
    entry { node { graph: 0 index: 1 position: 1 scope: 2
                   parameters { kind: 0 kernel { function: 0 } } } }
    entry { node { graph: 0 index: 2 position: 2 parameters { kind: 4 } } }
    entry { node { graph: 0 index: 3 parent: 2 position: 0 scope: 2
                   parameters { kind: 0 kernel { function: 0 } } } }
    entry { node { graph: 0 index: 4 position: 3 parameters { kind: 0 kernel { function: 0 } } } }
    entry { executable { number: 0 graph: 0 key: 1 } })";

TEST(ModelObservationsTest, ASiteIsNamedByScopeKernelOperandAndInvocation) {
  const auto process = Build(std::string(kGraph) + R"(
    entry { site { id: 0 executable: 0 graph: 0 node: 0 role: ROLE_DESTINATION } }
    entry { site { id: 1 executable: 0 graph: 0 node: 1 parameter: 0 } }
    entry { site { id: 2 executable: 0 graph: 0 node: 3 parameter: 1 offset: 24 } }
    entry { site { id: 3 executable: 0 graph: 0 node: 4 parameter: 1 } }
    entry { site { id: 4 executable: 0 graph: 9 node: 4 parameter: 1 } })")
                           .process;
  const auto key = [&](std::uint32_t id) {
    const Site& site = process->sites.at(id);
    return absl::StrFormat("%s[%u]", site.name, site.invocation);
  };
  EXPECT_EQ(key(0), "a/memcpy.dst[0]");
  EXPECT_EQ(key(1), "a/f.arg0[0]");
  EXPECT_EQ(key(2), "a/f.arg1+0x18[1]");  // inside the child graph, behind the other
  EXPECT_EQ(key(3), "f.arg1[0]");         // another scope, another name
  EXPECT_EQ(key(4), "?.arg1[0]");
  EXPECT_EQ(process->orphans, 1u);
  EXPECT_EQ(Describe(*process, REFERENCE_SITE, 2), "x0/2/0 a/f.arg1+0x18[1]");
}

TEST(ModelObservationsTest, TheTypeIsTheSitesElseThatOfTheSignature) {
  const auto process = Build(std::string(kGraph) + R"(
    entry { site { id: 0 executable: 0 graph: 0 node: 1 parameter: 0 dtype: 2 } }
    entry { site { id: 1 executable: 0 graph: 0 node: 1 parameter: 0 } }
    entry { site { id: 2 executable: 0 graph: 0 node: 1 parameter: 1 dtype: 0 } }
    entry { site { id: 3 executable: 0 graph: 0 node: 1 parameter: 2 } }
    entry { site { id: 4 executable: 0 graph: 0 node: 1 parameter: 0 offset: 8 } }
    entry { site { id: 5 executable: 0 graph: 0 node: 0 role: ROLE_SOURCE } })")
                           .process;
  const Dtype expected[] = {Dtype::kBfloat16, Dtype::kFloat32, Dtype::kInt32,
                            Dtype::kUnknown,  Dtype::kUnknown, Dtype::kUnknown};
  for (std::uint32_t id = 0; id < 6; ++id) EXPECT_EQ(process->sites.at(id).dtype, expected[id]);
}

TEST(ModelObservationsTest, ObservationsStandByReplayAndNode) {
  const auto process = Build(std::string(kGraph) + R"(
    entry { observation { site: 1 replay: 2 hash: 21 } }
    entry { observation { site: 0 replay: 2 hash: 20 } }
    entry { observation { site: 1 replay: 1 } }
    entry { observation { site: 7 replay: 1 } }
    entry { site { id: 0 executable: 0 graph: 0 node: 4 parameter: 1 } }
    entry { site { id: 1 executable: 0 graph: 0 node: 4 parameter: 10 } }
    entry { replay { executable: 0 number: 2 sampled: true } }
    entry { replay { executable: 0 number: 1 lost: 10 } }
    entry { replay { executable: 0 number: 3 } })")
                           .process;
  const auto& executable = process->executables.at(0);
  ASSERT_EQ(executable.observations.size(), 3u);
  EXPECT_EQ(executable.observations[0].replay, 1u);
  EXPECT_FALSE(executable.observations[0].hash);
  EXPECT_EQ(executable.observations[1].hash, 20u);
  EXPECT_EQ(executable.observations[2].hash, 21u);
  EXPECT_EQ(process->orphans, 1u);
  ASSERT_EQ(executable.due.size(), 2u);
  EXPECT_EQ(executable.due[0].lost(), 10u);
  EXPECT_TRUE(executable.due[1].sampled());
  EXPECT_EQ(executable.replay_count(), 3u);
}

TEST(ModelObservationsTest, PayloadsAreReadFromTheirPieces) {
  const auto built = Build(std::string(kGraph) + R"(
    entry { site { id: 0 executable: 0 graph: 0 node: 4 parameter: 1 } }
    entry { observation { site: 0 replay: 1 payload: 3 payload_bytes: 6 } }
    entry { observation { site: 0 replay: 2 payload: 4 payload_bytes: 6 } }
    entry { payload_piece { payload: 3 offset: 4 bytes: "ef" } }
    entry { payload_piece { payload: 4 offset: 0 bytes: "ABC" } }
    entry { loss { cause: 0 count: 1 } }
    entry { payload_piece { payload: 3 offset: 0 bytes: "abcd" } })");
  const auto& observations = built.process->executables.at(0).observations;
  EXPECT_TRUE(observations.at(0).payload_complete);
  EXPECT_FALSE(observations.at(1).payload_complete);
  EXPECT_EQ(built.process->incomplete_payloads, 1u);
  auto payloads = built.Payloads();
  const auto read = [&](std::uint64_t payload, std::uint64_t offset, std::size_t size) {
    std::string bytes(size, '?');
    return payloads.Read(payload, offset, std::as_writable_bytes(std::span(bytes))) ? bytes : "!";
  };
  EXPECT_EQ(read(3, 0, 6), "abcdef");
  EXPECT_EQ(read(3, 3, 2), "de");
  EXPECT_EQ(read(4, 1, 2), "BC");
  EXPECT_EQ(read(3, 5, 1), "f");
  EXPECT_EQ(read(3, 5, 2), "!");
  EXPECT_EQ(read(4, 0, 4), "!");
  EXPECT_EQ(read(5, 0, 1), "!");
  EXPECT_EQ(read(5, 0, 0), "");
}

TEST(ModelObservationsTest, ADamagedPieceIsNotRead) {
  auto built = Build(std::string(kGraph) + R"(
    entry { payload_piece { payload: 0 offset: 0 bytes: "abcd" } })");
  built.bytes.back() ^= 1;
  auto payloads = built.Payloads();
  std::byte byte{};
  EXPECT_FALSE(payloads.Read(0, 0, {&byte, 1}));
}

TEST(ModelObservationsTest, RulesHaveTheirTextAndTheirLastCounts) {
  const auto process = Build(R"(
    entry { run { specification: " all = hash ;kernel:\"a;\\\"b\".arg0=none" } }
    entry { rule_counts { rule: 0 requested: 1 } }
    entry { rule_counts { rule: 2 requested: 7 } }
    entry { rule_counts { rule: 0 requested: 4 planned: 3 } })")
                           .process;
  ASSERT_EQ(process->rules.size(), 3u);
  EXPECT_EQ(process->rules.at(0).text, "all = hash");
  EXPECT_EQ(process->rules.at(0).counts.planned(), 3u);
  EXPECT_EQ(process->rules.at(1).text, "kernel:\"a;\\\"b\".arg0=none");
  EXPECT_EQ(process->rules.at(2).text, "");
  EXPECT_EQ(process->rules.at(2).counts.requested(), 7u);
}

}  // namespace
}  // namespace graphtap::model
