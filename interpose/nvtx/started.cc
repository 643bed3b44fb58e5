#include "interpose/nvtx/started.h"

#include <mutex>
#include <string>
#include <unordered_map>

namespace graphtap::nvtx {
namespace {

// A job may start ranges that it never ends.
constexpr std::size_t kMost = 1u << 16;

struct Started {
  std::mutex mutex;  // guards all below
  std::unordered_map<std::uint64_t, Closed> ranges;
  std::uint64_t next = 1;
};

// Never destroyed: exit handlers of the job may still end ranges.
Started& All() {
  static auto* const all = new Started;
  return *all;
}

}  // namespace

std::uint64_t Start(std::string_view text, std::uint64_t tag) noexcept try {
  Started& all = All();
  const std::lock_guard lock(all.mutex);
  if (all.ranges.size() == kMost) return 0;
  all.ranges.emplace(all.next, Closed{std::string(text), tag});
  return all.next++;
} catch (...) {
  return 0;  // no memory
}

std::optional<Closed> End(std::uint64_t id) noexcept try {
  Started& all = All();
  const std::lock_guard lock(all.mutex);
  auto range = all.ranges.extract(id);
  if (range.empty()) return std::nullopt;
  return std::move(range.mapped());
} catch (...) {
  return std::nullopt;
}

}  // namespace graphtap::nvtx
