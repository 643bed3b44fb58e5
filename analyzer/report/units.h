// Units: numbers as people read them. Pure functions, any thread, no failure.
#pragma once

#include <cstdint>
#include <string>

namespace graphtap::report {

std::string Count(std::uint64_t count);  // "1,501"
// "1 graph", "1,501 graphs", "2 branches": the plural is `word` with s, or `plural`.
std::string Count(std::uint64_t count, const std::string& word, const std::string& plural = "");
std::string Bytes(std::uint64_t bytes);           // "512 B", "64.0 KiB"
std::string Duration(std::uint64_t nanoseconds);  // "850 ns", "1.20 ms", "3.40 s", "1 h 02 min"
std::string Rate(double per_second);              // "812.3/s", "12,345/s"
std::string Utc(std::uint64_t realtime_ns);       // "2026-01-02 03:04:05.678 UTC"
std::string Hex(const std::string& bytes);        // "00ff"

}  // namespace graphtap::report
