#include "analyzer/launcher/environment_block.h"

namespace graphtap::launcher {
namespace {

constexpr std::string_view kPreload = "LD_PRELOAD";
// The loader takes both as separators.
constexpr std::string_view kPreloadSeparators = " :";

}  // namespace

EnvironmentBlock::EnvironmentBlock(const char* const* entries) {
  for (; *entries != nullptr; ++entries) {
    const std::string_view entry = *entries;
    const auto equals = entry.find('=');
    if (equals == std::string_view::npos) continue;
    variables_.emplace(entry.substr(0, equals), entry.substr(equals + 1));
  }
}

const char* EnvironmentBlock::Get(std::string_view name) const {
  const auto found = variables_.find(name);
  return found == variables_.end() ? nullptr : found->second.c_str();
}

void EnvironmentBlock::Set(std::string_view name, std::string_view value) {
  variables_.insert_or_assign(std::string(name), std::string(value));
}

void EnvironmentBlock::AppendPreload(std::string_view library) {
  const char* current = Get(kPreload);
  std::string_view rest = current == nullptr ? "" : current;
  std::string preloads;
  while (!rest.empty()) {
    const std::string_view one = rest.substr(0, rest.find_first_of(kPreloadSeparators));
    if (!one.empty() && one != library) preloads.append(one).append(":");
    rest.remove_prefix(one.size() == rest.size() ? one.size() : one.size() + 1);
  }
  Set(kPreload, preloads.append(library));
}

std::vector<std::string> EnvironmentBlock::Entries() const {
  std::vector<std::string> entries;
  entries.reserve(variables_.size());
  for (const auto& [name, value] : variables_) entries.push_back(name + "=" + value);
  return entries;
}

}  // namespace graphtap::launcher
