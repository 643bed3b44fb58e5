// The environment: one line a variable, in the order of proto/lists/environment.inc, then the rank
// and the world size.
#include <string>
#include <vector>

#include "proto/lists/environment.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

class Variables {
 public:
  explicit Variables(std::string_view input) {
    Feed feed(input);
    while (!feed.empty()) values_.emplace_back(feed.Until('\n'));
  }

  // The k-th variable has the k-th line; one without a line is not set.
  const char* Get(std::string_view variable) const {
    std::size_t at = 0;
    for (const auto& entry : kEnvironment) {
      if (variable == entry.variable) return At(at);
      ++at;
    }
    for (const auto& rank : kRankVariables) {
      if (variable == rank.rank) return At(at);
      if (variable == rank.world_size) return At(at + 1);
      at += 2;
    }
    return nullptr;
  }

 private:
  const char* At(std::size_t index) const {
    return index < values_.size() ? values_[index].c_str() : nullptr;
  }
  std::vector<std::string> values_;
};

void CheckSettings(std::string_view input) {
  const Variables variables(input);
  const auto read = [&](const char* name) { return variables.Get(name); };
  std::string error;
  const auto settings = ParseSettings(read, &error);
  Require(settings.has_value() == error.empty(), "settings or an error");
  if (settings) {
    Require(settings->zstd_level >= 0 && settings->zstd_level <= 19, "a level that zstd has");
    Require(settings->device_bytes > 0 && settings->host_bytes > 0, "budgets are not empty");
    Require(settings->site_bytes >= 1 && settings->site_bytes <= 1ull << 40, "sites are bounded");
    Require(settings->wait_ms <= 60'000, "a launch waits a minute at most");
  } else {
    Require(error.starts_with("GRAPHTAP_"), "an error names its variable");
  }
  const auto rank = ReadRank(read);
  Require(rank.rank.has_value() || rank.variable.empty(), "a rank has a variable");
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckSettings(graphtap::fuzz::Input(data, size));
  return 0;
}
