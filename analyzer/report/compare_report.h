// CompareReport: what a comparison of two runs says: the verdict, where the runs first differ, what
// was inserted or removed, and each pair of observations. The JSON has every pair, unless only
// those that differ are asked for. Pure functions, any thread, no failure.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/run.h"
#include "analyzer/tensors/compare_runs.h"

namespace graphtap::report {

struct CompareInput {
  const model::Run& reference;
  const model::Run& candidate;
  const tensors::CompareOptions& options;
  const tensors::RunComparison& result;
};

struct CompareReportOptions {
  std::size_t limit = 0;  // rows of each table; 0: all
  bool only_changed = false;
};

std::string CompareText(const CompareInput& input, const CompareReportOptions& options);
nlohmann::ordered_json CompareJson(const CompareInput& input, const CompareReportOptions& options);

const char* StatusName(tensors::Status status);  // "mismatch"
const char* KindName(tensors::Kind kind);        // "reference_only"
const char* PresenceName(tensors::Presence presence);

}  // namespace graphtap::report
