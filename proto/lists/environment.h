// Environment: the variables of graphtap (environment.inc) and their parsed form, Settings.
// Owner: the caller holds the values; the table is constant. Threads: no shared state; reading the
// process environment is as safe as getenv. Failure: a malformed value gives a message that names
// the variable, the value and what is allowed, and no Settings. Units: bytes, milliseconds.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "proto/spec/points.h"
#include "proto/spec/specification.h"

namespace graphtap {

struct EnvironmentVariable {
  const char* variable;
  const char* option;  // of `graphtap run`, as CLI11 spells it; "": none
  const char* value;   // placeholder in help texts; "": the option is a switch
  const char* fallback;
  const char* allowed;
  const char* meaning;
};

inline constexpr auto kEnvironment = std::to_array<EnvironmentVariable>({
#define GT_ENV(field, form, variable, option, value, fallback, allowed, meaning) \
  {variable, option, value, fallback, allowed, meaning},
#include "proto/lists/environment.inc"
#undef GT_ENV
});

// User metadata comes in variables of this prefix: GRAPHTAP_META_<key>=<value>.
inline constexpr std::string_view kMetadataPrefix = "GRAPHTAP_META_";

// The rank of a process is in the first of these that is set; the world size in its partner.
struct RankVariable {
  const char* rank;
  const char* world_size;
};
inline constexpr auto kRankVariables = std::to_array<RankVariable>({
    {"RANK", "WORLD_SIZE"},
    {"SLURM_PROCID", "SLURM_NTASKS"},
    {"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
    {"PMI_RANK", "PMI_SIZE"},
});

enum class LogLevel : std::uint8_t { quiet, warning, info };

struct Settings {
  std::string out;
  std::string run_id;
  std::string name;
  std::string group;
  spec::Specification specification;  // without rules: nothing is observed
  spec::Replays replays;
  spec::Points points;  // at which memory is looked at
  std::string check;    // reference of checks that name none
  bool check_abort = false;
  std::uint64_t device_bytes = 0;
  std::uint64_t wait_ms = 0;
  std::string adapter;  // "auto", "off" or a file
  bool eager = false;   // operators outside of captures are observed
  std::string step;     // pattern of the ranges that bound their steps
  bool python_stacks = false;
  bool allocation_stacks = false;  // of events of the framework's allocator
  bool in_place = false;           // probes in the job's own graphs where those cannot be cloned
  int zstd_level = 1;              // 0: frames are stored raw
  std::uint64_t site_bytes = 0;
  std::uint64_t host_bytes = 0;
  LogLevel log = LogLevel::warning;
};

using EnvironmentReader = std::function<const char*(const char* variable)>;

// Settings from the variables that `read` returns (nullptr: not set; an empty value is the
// default). On a malformed value: nullopt, and *error is one line; three for a specification, a
// list of replays or of points, with a caret under the place.
std::optional<Settings> ParseSettings(const EnvironmentReader& read, std::string* error);

// A number of bytes: digits, then nothing, K, M, G or T (powers of 1024). nullopt: not of this form
// or more than 2^63.
std::optional<std::uint64_t> ParseBytes(std::string_view text);

// The rank or world size that the environment says: nullopt when none is set or it is no number.
struct RankSetting {
  std::optional<std::uint32_t> rank;
  std::optional<std::uint32_t> world_size;
  std::string variable;
};
RankSetting ReadRank(const EnvironmentReader& read);

}  // namespace graphtap
