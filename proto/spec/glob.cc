#include "proto/spec/specification.h"

namespace graphtap::spec {
namespace {

// Behind the ] that closes the set at `at`; npos: none does. The first member may be a ].
std::size_t BehindSet(std::string_view pattern, std::size_t at) noexcept {
  std::size_t members = at + 1;
  if (members < pattern.size() && pattern[members] == '!') ++members;
  const auto close = pattern.find(']', members + 1);
  return close == std::string_view::npos ? close : close + 1;
}

// `set` is "[…]" or "[!…]".
bool SetHas(std::string_view set, char c) noexcept {
  set = set.substr(1, set.size() - 2);
  const bool negated = set.front() == '!';
  if (negated) set.remove_prefix(1);
  const auto byte = [](char member) { return static_cast<unsigned char>(member); };
  bool found = false;
  for (std::size_t i = 0; i < set.size() && !found; ++i) {
    if (i + 2 < set.size() && set[i + 1] == '-') {
      found = byte(set[i]) <= byte(c) && byte(c) <= byte(set[i + 2]);
      i += 2;
    } else {
      found = set[i] == c;
    }
  }
  return found != negated;
}

// Behind the pattern's element at `at`, which is no *, if it takes `c`; npos: it does not.
std::size_t Step(std::string_view pattern, std::size_t at, char c) noexcept {
  if (pattern[at] == '[') {
    const auto behind = BehindSet(pattern, at);
    if (behind != std::string_view::npos) {
      return SetHas(pattern.substr(at, behind - at), c) ? behind : std::string_view::npos;
    }
  }
  return pattern[at] == '?' || pattern[at] == c ? at + 1 : std::string_view::npos;
}

}  // namespace

bool Matches(std::string_view pattern, std::string_view text) noexcept {
  constexpr auto kNone = std::string_view::npos;
  std::size_t p = 0, t = 0;
  std::size_t star = kNone, star_text = 0;  // behind the last *, and where its text ends so far
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = ++p;
      star_text = t;
      continue;
    }
    const auto behind = p < pattern.size() ? Step(pattern, p, text[t]) : kNone;
    if (behind != kNone) {
      p = behind;
      ++t;
    } else if (star != kNone) {
      p = star;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace graphtap::spec
