#include "tests/fuzz/specification_properties.h"

#include <algorithm>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "proto/names/names.h"
#include "proto/spec/match.h"
#include "proto/spec/points.h"
#include "proto/spec/specification.h"
#include "tests/fuzz/glob_oracle.h"
#include "tests/fuzz/require.h"

namespace graphtap::fuzz {
namespace {

// Everything up to the next line's end, which goes too.
std::string_view TakeLine(std::string_view* input) {
  const auto line = input->substr(0, input->find('\n'));
  input->remove_prefix(std::min(line.size() + 1, input->size()));
  return line;
}

std::size_t Columns(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

void CheckError(std::string_view error) {
  const bool is_printable = std::none_of(error.begin(), error.end(), [](char c) {
    return (c >= 0 && c < ' ' && c != '\n') || c == 0x7F;
  });
  Require(is_printable, "an error has no control characters");
  Require(std::count(error.begin(), error.end(), '\n') == 2, "an error has three lines");
  Require(!TakeLine(&error).empty(), "an error says something");
  const auto text = TakeLine(&error);
  Require(
      error.size() > 2 && error.find_first_not_of(' ') == error.size() - 1 && error.back() == '^',
      "the last line of an error is a caret");
  Require(Columns(text) <= 2 + 48 + 24, "the text that an error shows fits on a line");
  Require(error.size() - 1 <= Columns(text), "the caret is under the text or right behind it");
}

template <typename Value>
using ParseFunction = std::optional<Value> (*)(std::string_view, std::string*, spec::Words);

// What all parsers promise. The value with all words of the grammar; *supported: also without.
template <typename Value>
std::optional<Value> CheckParsing(ParseFunction<Value> parse, std::string_view text,
                                  bool* supported) {
  std::string error = "old";
  const auto value = parse(text, &error, spec::Words::kAll);
  value ? Require(error.empty(), "no error without a failure") : CheckError(error);
  const auto now = parse(text, &error, spec::Words::kSupported);
  if (!now) CheckError(error);
  Require(!now || now == value, "what this release supports is part of the grammar");
  *supported = now.has_value();
  if (!value) return std::nullopt;
  const std::string canonical = Text(*value);
  const auto again = parse(canonical, &error, spec::Words::kAll);
  Require(again == value, "the canonical text gives an equal value");
  Require(Text(*again) == canonical, "the canonical text is canonical");
  return value;
}

void CheckRules(const spec::Specification& specification, std::string_view name) {
  spec::NodeFacts facts;
  facts.kind = "kernel";
  facts.kernel_short = facts.kernel_demangled = facts.kernel_mangled = name;
  facts.scope = facts.place = name;
  for (const auto& rule : specification.rules) {
    std::string error;
    const auto alone = spec::ParseSpecification(rule.text, &error, spec::Words::kAll);
    Require(alone && alone->rules.size() == 1 && alone->rules[0] == rule,
            "the text of a rule gives the rule");
    Require(rule.text.find_first_of(" \t") != 0 &&
                rule.text.find_last_of(" \t") != rule.text.size() - 1,
            "the text of a rule is trimmed");
    Require(rule.none == rule.actions.empty(), "a rule has actions or takes out");
    for (const auto& selector : rule.selectors) {
      const bool selects = spec::SelectorMatches(selector, facts);
      Require(selects || selector.kind != spec::SelectorKind::kAll, "all selects a kernel");
      Require(!selects || selector.kind != spec::SelectorKind::kOp, "this node has no op");
    }
  }
}

bool IsDue(const std::vector<spec::Replays::Item>& items, std::uint64_t replay) {
  using Kind = spec::Replays::Item::Kind;
  return replay > 0 && std::any_of(items.begin(), items.end(), [&](const auto& item) {
           if (item.kind == Kind::kEvery) return replay % item.first == 0;
           const bool is_range = item.kind == Kind::kNumber || item.kind == Kind::kRange;
           return is_range && item.first <= replay && replay <= item.last;
         });
}

void CheckDue(const spec::Replays& replays) {
  std::vector<std::uint64_t> places = {1, 2, 100, std::numeric_limits<std::uint64_t>::max()};
  for (const auto& item : replays.items()) {
    for (const auto place : {item.first, item.last, 2 * item.first}) places.push_back(place);
  }
  for (const auto place : places) {
    for (const auto replay : {place - 1, place, place + 1}) {
      Require(replays.Due(replay) == IsDue(replays.items(), replay), "due is what an item says");
    }
  }
}

void CheckPoints(const spec::Points& points, std::string_view text) {
  const bool matches = std::any_of(points.nvtx.begin(), points.nvtx.end(),
                                   [&](const auto& glob) { return spec::Matches(glob, text); });
  Require(points.MatchesText(text) == matches, "a text is a point if a pattern matches it");
  CheckDue(points.replays);
}

bool CheckMatch(std::string_view pattern, std::string_view text) {
  const bool matches = spec::Matches(pattern, text);
  if (pattern.size() * text.size() <= 4096) {  // the oracle takes long for more
    Require(matches == OracleMatches(pattern, text), "a glob matches what it should");
  }
  return matches;
}

void CheckNames(std::string_view name) {
  const auto brief = names::ShortName(name);
  Require(!brief.empty() || name.empty(), "a name has a short name");
  for (std::uint32_t parameter : {0u, 1u, 2u, 1000u}) {
    const auto dtype = names::ParameterDtype(name, parameter);
    Require(dtype == Dtype::kUnknown || name.find('*') != std::string_view::npos,
            "what has an element type is a pointer");
  }
}

}  // namespace

Accepted CheckSpecification(std::string_view input) {
  const auto specification_text = TakeLine(&input), replays_text = TakeLine(&input),
             points_text = TakeLine(&input), pattern = TakeLine(&input);
  Accepted accepted;
  const auto specification = CheckParsing<spec::Specification>(
      &spec::ParseSpecification, specification_text, &accepted.specification);
  if (specification) CheckRules(*specification, input);
  const auto replays =
      CheckParsing<spec::Replays>(&spec::ParseReplays, replays_text, &accepted.replays);
  if (replays) CheckDue(*replays);
  const auto points = CheckParsing<spec::Points>(&spec::ParsePoints, points_text, &accepted.points);
  if (points) CheckPoints(*points, input);
  accepted.match = CheckMatch(pattern, input);
  CheckNames(input);
  return accepted;
}

}  // namespace graphtap::fuzz
