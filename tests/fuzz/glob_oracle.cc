#include "tests/fuzz/glob_oracle.h"

#include <bitset>
#include <vector>

namespace graphtap::fuzz {
namespace {

using Bytes = std::bitset<256>;

std::size_t Byte(char c) { return static_cast<unsigned char>(c); }

// The members of "abc-e".
Bytes Members(std::string_view text) {
  Bytes members;
  while (!text.empty()) {
    const bool is_range = text.size() >= 3 && text[1] == '-';
    const std::size_t last = Byte(is_range ? text[2] : text[0]);
    for (std::size_t c = Byte(text[0]); c <= last; ++c) members.set(c);
    text.remove_prefix(is_range ? 3 : 1);
  }
  return members;
}

// Takes the first element of a pattern that is no star: the bytes that it stands for.
Bytes TakeElement(std::string_view* pattern) {
  const char c = pattern->front();
  pattern->remove_prefix(1);
  if (c == '?') return Bytes().set();
  if (c == '[') {
    const bool negated = pattern->starts_with('!');
    const auto members = pattern->substr(negated ? 1 : 0);
    for (std::size_t close = 1; close < members.size(); ++close) {
      if (members[close] != ']') continue;
      *pattern = members.substr(close + 1);
      const auto set = Members(members.substr(0, close));
      return negated ? ~set : set;
    }
  }
  return Bytes().set(Byte(c));
}

}  // namespace

bool OracleMatches(std::string_view pattern, std::string_view text) {
  std::vector<bool> reached(text.size() + 1);
  reached[0] = true;
  while (!pattern.empty()) {
    std::vector<bool> next(text.size() + 1);
    if (pattern.front() == '*') {
      pattern.remove_prefix(1);
      bool any = false;
      for (std::size_t at = 0; at <= text.size(); ++at) next[at] = any = any || reached[at];
    } else {
      const Bytes bytes = TakeElement(&pattern);
      for (std::size_t at = 0; at < text.size(); ++at) {
        next[at + 1] = reached[at] && bytes.test(Byte(text[at]));
      }
    }
    reached.swap(next);
  }
  return reached[text.size()];
}

}  // namespace graphtap::fuzz
