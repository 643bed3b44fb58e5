// Events: the records of what happened, beside the definitions of records.h. The same rules hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpose/record/records.h"
#include "proto/lists/losses.h"

namespace graphtap::record {

struct Thread {
  std::uint32_t system_id = 0;
  std::string name;
  std::uint64_t first_seen_ns = 0;
};

enum class StreamKind : std::uint8_t { kCreated = 0, kLegacy = 1, kPerThread = 2 };

struct Stream {
  StreamKind kind = StreamKind::kCreated;
  std::uint64_t handle = 0;
  std::optional<std::uint32_t> device = {};
};

// Numbers as End.How in trace.proto.
enum class Ending : std::uint8_t { kUnknown = 0, kExit = 1, kExec = 2 };

struct End {
  Ending how = Ending::kUnknown;
  std::optional<std::int32_t> exit_code;
  std::uint64_t time_ns = 0;
};

enum class CaptureOutcome : std::uint8_t { kOpen = 0, kGraph = 1, kFailed = 2 };

struct Capture {
  std::uint32_t number = 0;
  StringId key{};
  std::uint32_t mode = 0;
  ThreadId thread{};
  StreamId stream{};
  std::vector<StreamId> joined_streams;
  std::uint64_t begin_ns = 0;
  std::optional<std::uint64_t> end_ns;
  CaptureOutcome outcome = CaptureOutcome::kOpen;
  std::optional<std::uint32_t> error, graph, node_count;
  bool to_graph = false;
};

struct Update {
  std::optional<std::uint32_t> executable;
  StringId call{};
  std::uint32_t result = 0;
  std::optional<GraphId> graph;
  std::optional<std::uint32_t> node;
  std::optional<NodeParameters> parameters;
  std::optional<bool> enabled;
  std::optional<std::uint32_t> update_result;
  ThreadId thread{};
  std::uint64_t time_ns = 0;
  std::uint64_t after_replay = 0;
  bool destroyed = false;
};

struct Replay {
  std::uint32_t executable = 0;
  std::optional<std::uint64_t> number;
  StreamId stream{};
  ThreadId thread{};
  std::uint64_t time_ns = 0;
  std::uint32_t error = 0;
  bool sampled = false;
  std::optional<Loss> lost{};
};

struct ReplayRange {
  std::uint32_t executable = 0;
  std::uint64_t first = 0, last = 0;
  std::vector<StreamId> streams;
  std::uint64_t first_ns = 0, last_ns = 0;
};

struct Message {
  std::uint32_t code = 0;
  std::string detail;
  std::uint64_t time_ns = 0;
};

}  // namespace graphtap::record
