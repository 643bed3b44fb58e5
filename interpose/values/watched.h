// Watched: a site whose values are printed or checked as they arrive, by the name that it has in
// each run; and one arrival of its values. Owner: the site book keeps a Watched as long as the
// executable; what is in flight shares it. Threads: its counts belong to the drain.
// Failure: none. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "interpose/record/observations.h"
#include "proto/dtype.h"

namespace graphtap::values {

struct Watched {
  std::string graph;  // key of the executable: "train_step#0"
  std::string name;   // with the operand: "forward/scale_add.arg1"
  std::uint32_t invocation = 0;

  std::uint64_t seen = 0;            // sampled replays
  std::set<std::uint32_t> failed{};  // rules of which a failure is recorded

  // "forward/scale_add.arg1[3]"
  std::string Label() const { return name + '[' + std::to_string(invocation) + ']'; }
  // "train_step#0/forward/scale_add.arg1[3]"
  std::string Key() const { return graph + '/' + Label(); }
};

struct Arrival {
  record::SiteId site{};
  std::uint32_t executable = 0;  // number
  std::uint64_t replay = 0;
  Dtype dtype = Dtype::kUnknown;
  std::uint64_t bytes = 0;                            // the extent
  bool exact = false;                                 // else the extent is a bound
  const std::vector<std::uint32_t>* rules = nullptr;  // of the site
};

}  // namespace graphtap::values
