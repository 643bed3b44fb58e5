#include "proto/names/generated_name.h"

#include <algorithm>

namespace graphtap::names {

// A "c", 51 digits of base 32, in a folder named after the first two of them.
std::string_view GeneratedName(std::string_view file) {
  constexpr std::size_t kDigits = 51;
  constexpr std::string_view kEnd = ".py";
  if (!file.ends_with(kEnd)) return {};
  file.remove_suffix(kEnd.size());
  const std::size_t slash = file.rfind('/');
  if (slash == std::string_view::npos) return {};
  const auto name = file.substr(slash + 1), folder = file.substr(0, slash);
  const auto is_digit = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '2' && c <= '7'); };
  if (name.size() != 1 + kDigits || name.front() != 'c') return {};
  if (!std::all_of(name.begin(), name.end(), is_digit)) return {};
  return folder.substr(folder.rfind('/') + 1) == name.substr(1, 2) ? name : std::string_view();
}

}  // namespace graphtap::names
