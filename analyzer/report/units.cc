#include "analyzer/report/units.h"

#include <ctime>

#include "absl/strings/str_format.h"

namespace graphtap::report {

std::string Count(std::uint64_t count) {
  std::string digits = absl::StrFormat("%u", count);
  for (std::size_t at = digits.size(); at > 3;) {
    at -= 3;
    digits.insert(at, 1, ',');
  }
  return digits;
}

std::string Count(std::uint64_t count, const std::string& word, const std::string& plural) {
  if (count == 1) return "1 " + word;
  return Count(count) + ' ' + (plural.empty() ? word + 's' : plural);
}

std::string Bytes(std::uint64_t bytes) {
  if (bytes < 1024) return absl::StrFormat("%u B", bytes);
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (value >= 1023.95) {
    value /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.1f %s", value, kUnits[unit]);
}

std::string Duration(std::uint64_t nanoseconds) {
  const auto ns = static_cast<double>(nanoseconds);
  if (nanoseconds < 1'000) return absl::StrFormat("%u ns", nanoseconds);
  if (nanoseconds < 1'000'000) return absl::StrFormat("%.2f us", ns * 1e-3);
  if (nanoseconds < 1'000'000'000) return absl::StrFormat("%.2f ms", ns * 1e-6);
  const std::uint64_t seconds = nanoseconds / 1'000'000'000;
  if (seconds < 60) return absl::StrFormat("%.2f s", ns * 1e-9);
  if (seconds < 3600) return absl::StrFormat("%u min %02u s", seconds / 60, seconds % 60);
  return absl::StrFormat("%u h %02u min", seconds / 3600, seconds / 60 % 60);
}

std::string Rate(double per_second) {
  if (per_second < 1000) return absl::StrFormat("%.1f/s", per_second);
  if (per_second >= 1e15)
    return absl::StrFormat("%.1e/s", per_second);  // no job, but a file may say so
  return Count(static_cast<std::uint64_t>(per_second + 0.5)) + "/s";
}

std::string Utc(std::uint64_t realtime_ns) {
  const auto seconds = static_cast<std::time_t>(realtime_ns / 1'000'000'000);
  std::tm parts = {};
  ::gmtime_r(&seconds, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", &parts);
  return absl::StrFormat("%s.%03u UTC", text, realtime_ns / 1'000'000 % 1000);
}

std::string Hex(const std::string& bytes) {
  std::string text;
  for (const char byte : bytes) {
    absl::StrAppendFormat(&text, "%02x", static_cast<unsigned char>(byte));
  }
  return text;
}

}  // namespace graphtap::report
