// Run record: the process that is recorded, as the first definition of its file says it. A value;
// the rules of records.h hold.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace graphtap::record {

struct Gpu {
  std::uint32_t ordinal = 0;
  std::string name;
  std::string uuid;
  std::uint64_t memory_bytes = 0;
  std::uint32_t multiprocessors = 0;
  std::uint32_t compute_capability = 0;
};

using KeyValue = std::pair<std::string, std::string>;

struct Run {
  std::string run_id, name, group_id;
  std::optional<std::uint32_t> world_size, rank;
  std::string rank_variable;
  std::string host;
  std::uint32_t pid = 0, parent_pid = 0;
  std::uint64_t start_realtime_ns = 0, start_monotonic_ns = 0;
  std::string program;
  std::vector<std::string> arguments;
  std::string working_directory;
  std::vector<KeyValue> environment, metadata;
  std::string graphtap_version;
  std::optional<std::uint32_t> driver_version;
  std::vector<std::string> libraries;
  std::vector<Gpu> gpus;
  std::vector<std::string> other_tools;
  std::string specification, replays, points;
};

}  // namespace graphtap::record
