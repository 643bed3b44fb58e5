// The encoder against protobuf's own classes: each kind of record with every field set, and with
// every field at zero, must decode to exactly the text below.
#include "interpose/record/encoder.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "proto/trace.pb.h"
#include "tests/unit/record_allocator_samples.h"
#include "tests/unit/record_encoder_samples.h"
#include "tests/unit/record_op_samples.h"
#include "tests/unit/record_zero_samples.h"
#include "tests/unit/recorded_file.h"

namespace graphtap::record {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;

Sample FullRun() {
  Run run{.run_id = "r7",
          .name = "baseline",
          .group_id = "job1",
          .world_size = 8,
          .rank = 3,
          .rank_variable = "RANK",
          .host = "node1",
          .pid = 100,
          .parent_pid = 99,
          .start_realtime_ns = 1'700'000'000'000'000'001,
          .start_monotonic_ns = 5'000'000'001,
          .program = "python3",
          .arguments = {"python3", "", "train.py"},
          .working_directory = "/home/u",
          .environment = {{"RANK", "3"}, {"", ""}},
          .metadata = {{"seed", "7"}},
          .graphtap_version = "0.1.0",
          .driver_version = 13000,
          .libraries = {"/usr/lib/libcuda.so.1"},
          .gpus = {{.ordinal = 1,
                    .name = "H200",
                    .uuid = std::string("\x00\xff", 2),
                    .memory_bytes = 1ull << 40,
                    .multiprocessors = 132,
                    .compute_capability = 90}},
          .other_tools = {"libother.so"},
          .specification = "all=hash",
          .replays = "1,every:100",
          .points = "capture;exit"};
  return {Encode(run), R"(run {
    run_id: "r7" name: "baseline" group_id: "job1" world_size: 8 rank: 3 rank_variable: "RANK"
    host: "node1" pid: 100 parent_pid: 99
    start_realtime_ns: 1700000000000000001 start_monotonic_ns: 5000000001
    program: "python3" arguments: ["python3", "", "train.py"] working_directory: "/home/u"
    environment { key: "RANK" value: "3" } environment {} metadata { key: "seed" value: "7" }
    graphtap_version: "0.1.0" driver_version: 13000 libraries: "/usr/lib/libcuda.so.1"
    gpus { ordinal: 1 name: "H200" uuid: "\000\377" memory_bytes: 1099511627776
           multiprocessors: 132 compute_capability: 90 }
    other_tools: "libother.so" specification: "all=hash" replays: "1,every:100"
    points: "capture;exit" })"};
}

std::vector<Sample> FullDefinitions() {
  return {
      FullRun(),
      {Encode(StringId{300}, std::string_view("a\xff\0b", 4)),
       R"(string { id: 300 text: "a\377\000b" })"},
      {Encode(
           FunctionId{1},
           Function{.name = StringId{2}, .parameters = {{0, 8}, {8, 4}}, .layout_unknown = true}),
       R"(function { id: 1 name: 2 parameters { offset: 0 size: 8 } parameters { offset: 8 size: 4 }
                     layout_unknown: true })"},
      {Encode(GraphId{1}, Graph{.number = 2,
                                .version = 3,
                                .key = StringId{4},
                                .capture = 5,
                                .node_count = 6,
                                .edge_count = 7,
                                .time_ns = 8,
                                .eager = true}),
       R"(graph { id: 1 number: 2 version: 3 key: 4 capture: 5 node_count: 6 edge_count: 7
                  time_ns: 8 eager: true })"},
      {Encode(Executable{.number = 1,
                         .graph = GraphId{2},
                         .key = StringId{3},
                         .flags = 1ull << 33,
                         .thread = ThreadId{4},
                         .time_ns = 5,
                         .call = StringId{6}}),
       R"(executable { number: 1 graph: 2 key: 3 flags: 8589934592 thread: 4 time_ns: 5 call: 6 })"},
      {Encode(ThreadId{1}, Thread{.system_id = 2, .name = "main", .first_seen_ns = 3}),
       R"(thread { id: 1 system_id: 2 name: "main" first_seen_ns: 3 })"},
      {Encode(StreamId{1},
              Stream{.kind = StreamKind::kPerThread, .handle = 1ull << 63, .device = 0}),
       R"(stream { id: 1 kind: KIND_PER_THREAD handle: 9223372036854775808 device: 0 })"},
  };
}

KernelNode FullKernel() {
  const std::vector<std::byte> eight(8, std::byte{1});
  return {.function = FunctionId{1},
          .grid = {2, 3, 4},
          .block = {5, 6, 7},
          .shared_bytes = 8,
          .attributes = {{9, -1, {}}, {4, std::nullopt, {2, 1, 1}}},
          .scalars = {{.parameter = 1, .bytes = eight, .size = 8},
                      {.parameter = 2, .bytes = eight, .size = 4096, .raw = true}},
          .by_extra = true};
}

// With everything that one node could hold, which no real node does.
Node FullNode() {
  Operand argument{.role = Role::kSource,
                   .parameter = 1,
                   .offset = 24,
                   .address = 0x7f0000000000,
                   .grade = Grade::kNode,
                   .extent = 4096,
                   .exact = true,
                   .host = true,
                   .dtype = 3,
                   .strided = false,
                   .block = std::make_shared<const OperandBlock>(FullBlock()),
                   .op = 0};
  NodeParameters parameters{.kind = 7,
                            .kernel = FullKernel(),
                            .memcpy = MemcpyNode{1, 2, 3, 4, 5, 6, 7},
                            .memset = MemsetNode{1, 2, 3, 4, 5},
                            .host_function = 11,
                            .event_handle = 12,
                            .conditional = ConditionalNode{.type = 1, .bodies = 2},
                            .allocation = true,
                            .allocation_bytes = 13,
                            .operands = {argument},
                            .unread_error = 801};
  return {.index = 1,
          .parent = 2,
          .body = 3,
          .position = 4,
          .scope = StringId{5},
          .dependencies = {{.from = 1, .from_port = 2, .to_port = 3, .type = 4}},
          .parameters = parameters,
          .op = 6,
          .inner_op = StringId{7},
          .stack = StackId{8}};
}

constexpr char kFullParameters[] = R"(parameters {
  kind: 7
  kernel { function: 1 grid_x: 2 grid_y: 3 grid_z: 4 block_x: 5 block_y: 6 block_z: 7
           shared_bytes: 8 attributes { id: 9 value: -1 } attributes { id: 4 dimensions: [2, 1, 1] }
           scalars { parameter: 1 value: "\001\001\001\001\001\001\001\001" }
           scalars { parameter: 2 packed: "\001\001\001\001\001\001\001\001" size: 4096 }
           by_extra: true }
  memcpy { width_bytes: 1 height: 2 depth: 3 source_memory: 4 destination_memory: 5
           source_pitch: 6 destination_pitch: 7 }
  memset { value: 1 element_bytes: 2 width: 3 height: 4 pitch: 5 }
  host { function_address: 11 } event { event_handle: 12 } conditional { type: 1 bodies: 2 }
  allocation { bytes: 13 }
  operands { role: ROLE_SOURCE parameter: 1 offset: 24 address: 139637976727552 grade: GRADE_NODE
             extent: 4096 exact: true host: true dtype: 3 strided: false
             block { address: 9223372036854775808 bytes: 8589934592 pool_first: 2
                     pool_second: 17179869184 op: 0 } op: 0 }
  unread_error: 801 })";

std::vector<Sample> FullNodes() {
  return {
      {Encoded(GraphId{9}, FullNode()),
       std::string(R"(node { graph: 9 index: 1 parent: 2 body: 3 position: 4 scope: 5
                          dependencies { from: 1 from_port: 2 to_port: 3 type: 4 } )") +
           kFullParameters + "op: 6 inner_op: 7 stack: 8 }"},
      {Encode(Update{.executable = 1,
                     .call = StringId{2},
                     .result = 3,
                     .graph = GraphId{4},
                     .node = 5,
                     .parameters = FullNode().parameters,
                     .enabled = true,
                     .update_result = 6,
                     .thread = ThreadId{7},
                     .time_ns = 8,
                     .after_replay = 9,
                     .destroyed = true}),
       std::string("update { executable: 1 call: 2 result: 3 graph: 4 node: 5 ") + kFullParameters +
           "enabled: true update_result: 6 thread: 7 time_ns: 8 after_replay: 9 "
           "destroyed: true }"}};
}

std::vector<Sample> FullEvents() {
  return {
      {Encode(End{.how = Ending::kExit, .exit_code = -1, .time_ns = 2}),
       "end { how: HOW_EXIT exit_code: -1 time_ns: 2 }"},
      {Encode(Capture{.number = 1,
                      .key = StringId{2},
                      .mode = 3,
                      .thread = ThreadId{4},
                      .stream = StreamId{5},
                      .joined_streams = {StreamId{6}, StreamId{0}},
                      .begin_ns = 7,
                      .end_ns = 8,
                      .outcome = CaptureOutcome::kFailed,
                      .error = 901,
                      .graph = 9,
                      .node_count = 10,
                      .to_graph = true}),
       R"(capture { number: 1 key: 2 mode: 3 thread: 4 stream: 5 joined_streams: [6, 0]
                    joined_count: 2 begin_ns: 7 end_ns: 8 outcome: OUTCOME_FAILED error: 901
                    graph: 9 node_count: 10 to_graph: true })"},
      {Encode(Replay{.executable = 1,
                     .number = 1ull << 40,
                     .stream = StreamId{2},
                     .thread = ThreadId{3},
                     .time_ns = 4,
                     .error = 700,
                     .sampled = true,
                     .lost = Loss::no_slot}),
       R"(replay { executable: 1 number: 1099511627776 stream: 2 thread: 3 time_ns: 4 error: 700
                   sampled: true lost: 10 })"},
      {Encode(ReplayRange{.executable = 1,
                          .first = 2,
                          .last = 3,
                          .streams = {StreamId{4}, StreamId{0}},
                          .first_ns = 5,
                          .last_ns = 6}),
       "replay_range { executable: 1 first: 2 last: 3 streams: [4, 0] first_ns: 5 last_ns: 6 }"},
      {Encode(Loss::too_large, 5), "loss { cause: 2 count: 5 }"},
      {Encode(Message{.code = 4, .detail = "disk", .time_ns = 5}),
       R"(message { code: 4 detail: "disk" time_ns: 5 })"},
  };
}

std::vector<Sample> FullSamples() {
  std::vector<Sample> samples = FullDefinitions();
  for (const auto& more :
       {FullNodes(), Ops(), FullEvents(), FullObservations(), FullAllocator(), FullPoints()}) {
    samples.insert(samples.end(), more.begin(), more.end());
  }
  return samples;
}

// Every optional field that is not a std::optional must be there, though it is zero.
std::vector<Sample> ZeroSamples() {
  Run run;
  run.arguments = {""};
  run.gpus = {Gpu()};
  return {
      {Encode(run), R"(run { arguments: "" gpus { ordinal: 0 } })"},
      {Encode(StringId{}, std::string_view()), "string { id: 0 }"},
      {Encode(FunctionId{}, Function{.parameters = {{}}}),
       "function { id: 0 name: 0 parameters { offset: 0 size: 0 } layout_unknown: false }"},
      {Encode(GraphId{}, Graph{}),
       R"(graph { id: 0 number: 0 version: 0 key: 0 node_count: 0 edge_count: 0 time_ns: 0 })"},
      {Encoded(GraphId{}, ZeroNode()), R"(node {
         graph: 0 index: 0 position: 0 dependencies { from: 0 from_port: 0 to_port: 0 type: 0 }
         parameters {
           kind: 0
           kernel { function: 0 grid_x: 0 grid_y: 0 grid_z: 0 block_x: 0 block_y: 0 block_z: 0
                    shared_bytes: 0 attributes { id: 0 } scalars { parameter: 0 } by_extra: false }
           memcpy { width_bytes: 0 height: 0 depth: 0 source_memory: 0 destination_memory: 0
                    source_pitch: 0 destination_pitch: 0 }
           memset { value: 0 element_bytes: 0 width: 0 height: 0 pitch: 0 }
           host { function_address: 0 } event { event_handle: 0 } conditional { type: 0 bodies: 0 }
           allocation {}
           operands { role: ROLE_ARGUMENT address: 0 grade: GRADE_SCANNED extent: 0 exact: false
                      host: false
                      block { address: 0 bytes: 0 pool_first: 0 pool_second: 0 } } } })"},
      {Encode(Executable{}),
       "executable { number: 0 graph: 0 key: 0 flags: 0 thread: 0 time_ns: 0 call: 0 }"},
      {Encode(ThreadId{}, Thread{}), "thread { id: 0 system_id: 0 first_seen_ns: 0 }"},
      {Encode(StreamId{}, Stream{}), "stream { id: 0 kind: KIND_CREATED handle: 0 }"},
      {Encode(End{}), "end { how: HOW_UNKNOWN time_ns: 0 }"},
      {Encode(Capture{}),
       R"(capture { number: 0 key: 0 mode: 0 thread: 0 stream: 0 begin_ns: 0 outcome: OUTCOME_OPEN
                    to_graph: false joined_count: 0 })"},
      {Encode(Update{}),
       "update { call: 0 result: 0 thread: 0 time_ns: 0 after_replay: 0 destroyed: false }"},
      {Encode(Replay{}),
       "replay { executable: 0 stream: 0 thread: 0 time_ns: 0 error: 0 sampled: false }"},
  };
}

void ExpectDecodes(const std::vector<Sample>& samples) {
  for (const Sample& sample : samples) {
    Entry expected;
    ASSERT_TRUE(google::protobuf::TextFormat::ParseFromString(sample.expected, &expected))
        << sample.expected;
    EXPECT_EQ(DecodeMessage(sample.bytes).DebugString(), expected.DebugString());
  }
}

TEST(RecordEncoderTest, WritesEveryFieldAsProtobufReadsIt) { ExpectDecodes(FullSamples()); }

TEST(RecordEncoderTest, WritesZerosOfOptionalFields) {
  ExpectDecodes(ZeroSamples());
  ExpectDecodes(ZeroObservations());
  ExpectDecodes(ZeroAllocator());
  ExpectDecodes(ZeroPoints());
}

void CollectAllFields(const Descriptor* type, std::set<std::string>* names) {
  for (int i = 0; i < type->field_count(); ++i) {
    const FieldDescriptor* field = type->field(i);
    if (names->insert(field->full_name()).second && field->message_type() != nullptr) {
      CollectAllFields(field->message_type(), names);
    }
  }
}

void CollectSetFields(const google::protobuf::Message& message, std::set<std::string>* names) {
  const auto* reflection = message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    names->insert(field->full_name());
    if (field->message_type() == nullptr) continue;
    if (!field->is_repeated()) {
      CollectSetFields(reflection->GetMessage(message, field), names);
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      CollectSetFields(reflection->GetRepeatedMessage(message, field, i), names);
    }
  }
}

// A field that is new in trace.proto fails here until the encoder writes it.
TEST(RecordEncoderTest, KnowsEveryFieldOfTheTrace) {
  std::set<std::string> all, set;
  CollectAllFields(Entry::descriptor(), &all);
  for (const Sample& sample : FullSamples()) CollectSetFields(DecodeMessage(sample.bytes), &set);
  EXPECT_GT(all.size(), 100u);
  EXPECT_EQ(set, all);
}

TEST(RecordEncoderTest, KeepsScalarsThatMayVaryApart) {
  const auto scalar = [](std::size_t bytes, std::uint32_t size, bool raw) {
    Node node;
    node.parameters.kernel.emplace();
    node.parameters.kernel->scalars = {
        {.bytes = std::vector<std::byte>(bytes), .size = size, .raw = raw}};
    return DecodeMessage(Encoded(GraphId{}, node)).node().parameters().kernel().scalars(0);
  };
  EXPECT_EQ(scalar(8, 8, false).value().size(), 8u);
  EXPECT_FALSE(scalar(8, 8, false).has_size());
  EXPECT_EQ(scalar(8, 8, true).packed().size(), 8u);
  EXPECT_EQ(scalar(12, 12, true).packed().size(), 12u);
  EXPECT_FALSE(scalar(12, 12, true).has_size());
  EXPECT_EQ(scalar(12, 13, true).size(), 13u);
}

// Whether the extent is exact is told by which field holds it.
TEST(RecordEncoderTest, KeepsExactAndCutExtentsApart) {
  const auto site = [](bool exact) {
    return DecodeMessage(Encode(SiteId{}, Site{.bytes = 7, .exact = exact})).site();
  };
  EXPECT_EQ(site(true).bytes(), 7u);
  EXPECT_FALSE(site(true).has_cut_bytes());
  EXPECT_EQ(site(false).cut_bytes(), 7u);
  EXPECT_FALSE(site(false).has_bytes());
}

TEST(RecordEncoderTest, WritesPiecesOfAnySize) {
  for (const std::size_t size : {0u, 1u, 100u, 127u, 128u, 16383u, 16384u, kPieceMaxBytes}) {
    const std::vector<std::byte> bytes(size, std::byte{0xfe});
    const Entry entry = DecodeMessage(Encode(PayloadId{1ull << 40}, 1ull << 33, bytes));
    EXPECT_EQ(entry.payload_piece().payload(), 1ull << 40);
    EXPECT_EQ(entry.payload_piece().offset(), 1ull << 33);
    EXPECT_EQ(entry.payload_piece().bytes(), std::string(size, '\xfe'));
  }
}

TEST(RecordEncoderTest, WritesBytesThatAreNotUtf8AsHex) {
  const auto detail = [](const std::string& text) {
    return DecodeMessage(Encode(Message{.detail = text})).message().detail();
  };
  EXPECT_EQ(detail("gr\u00fc\u00df \u20ac \U0001F600"), "gr\u00fc\u00df \u20ac \U0001F600");
  EXPECT_EQ(detail("a\xff"), "a\\xff");
  EXPECT_EQ(detail("\xc3"), "\\xc3");                             // cut short
  EXPECT_EQ(detail("\xc0\xaf"), "\\xc0\\xaf");                    // overlong
  EXPECT_EQ(detail("\xe0\x80\x80"), "\\xe0\\x80\\x80");           // overlong
  EXPECT_EQ(detail("\xed\xa0\x80"), "\\xed\\xa0\\x80");           // surrogate
  EXPECT_EQ(detail("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // beyond U+10FFFF
  EXPECT_EQ(detail("\xf0\x8f\xbf\xbf"), "\\xf0\\x8f\\xbf\\xbf");  // overlong
}

}  // namespace
}  // namespace graphtap::record
