// TensorWords: short phrases and JSON about sites and observations that several reports print.
// Pure functions, any thread, no failure.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>

#include "analyzer/model/process.h"

namespace graphtap::report {

std::string HashText(std::uint64_t hash);              // sixteen hexadecimal digits
std::string ExtentText(const model::Site& site);       // "64.0 KiB", "64.0 KiB (cut)"
std::string ActionsText(const model::Site& site);      // "digest+copy:64"
std::string NodePath(const model::Site& site);         // "x0/17"
std::string StatisticsText(const Statistics& values);  // counts that are not zero, then measures
std::string SkipText(std::uint32_t skip);              // "device_budget"
std::string LossText(std::uint32_t cause);             // "no_slot"

// Key, place, type and extent.
nlohmann::ordered_json SiteJson(const model::Site& site);
nlohmann::ordered_json StatisticsJson(const Statistics& values);
// A number that JSON has no word for as text: "nan", "inf".
nlohmann::ordered_json NumberJson(double value);

}  // namespace graphtap::report
