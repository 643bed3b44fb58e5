// TensorsReport: what probes observed: a list of the places, and the observations themselves with
// the values that were copied. Pure functions of the frozen run, any thread. Failure of Show: a
// status of one line. Units: bytes, elements.
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "analyzer/model/run.h"

namespace graphtap::report {

// Tables have at most `limit` rows; 0: all.
std::string TensorsListText(const model::Run& run, std::size_t limit);
nlohmann::ordered_json TensorsListJson(const model::Run& run, std::size_t limit);

struct ShowOptions {
  std::string pattern;                  // of names; "": all
  std::optional<std::uint64_t> replay;  // only this one
  std::optional<Dtype> as;              // print copies as this type
  std::vector<std::uint64_t> shape;     // and in this shape; empty: one axis
  std::size_t limit = 0;                // observations of each process; 0: all
};

// In JSON at most so much of a copy.
inline constexpr std::uint64_t kShownBytes = 4096;

absl::Status ShowText(const model::Run& run, const ShowOptions& options, std::ostream& out);
absl::Status ShowJson(const model::Run& run, const ShowOptions& options,
                      nlohmann::ordered_json* json);

}  // namespace graphtap::report
