#include <algorithm>
#include <array>
#include <charconv>

#include "proto/spec/cursor.h"
#include "proto/spec/operand.h"
#include "proto/spec/points.h"
#include "proto/spec/specification.h"
#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

// Bare text that would be read back as something else is quoted.
std::string MaybeQuoted(std::string_view text, bool must_quote) {
  if (!must_quote && std::none_of(text.begin(), text.end(), IsDelimiter)) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Text(const Selector& selector) {
  std::string text(WordOf(WordGroup::kSelector, selector.kind));
  if (selector.kind != SelectorKind::kAll) {
    const auto dot = selector.pattern.rfind('.');
    OperandName ignored;
    const bool ends_like_operand =
        dot != std::string::npos && ReadOperand(std::string_view(selector.pattern).substr(dot + 1),
                                                &ignored) != OperandReading::kNone;
    text += ':' + MaybeQuoted(selector.pattern, ends_like_operand);
  }
  if (selector.operand) text += '.' + Text(*selector.operand);
  return text;
}

std::string Text(const Action& action) {
  std::string text(WordOf(WordGroup::kAction, action.kind));
  if (action.number != 0) text += ':' + std::to_string(action.number);
  if (!action.path.empty()) {
    text += ':' + MaybeQuoted(action.path, action.path.find('+') != std::string::npos);
  }
  return text;
}

std::string Text(const Rule& rule) {
  std::string text;
  for (const Selector& selector : rule.selectors) {
    text += (text.empty() ? "" : ",") + Text(selector);
  }
  text += rule.none ? "=none" : "";
  for (const Action& action : rule.actions) {
    text += (&action == &rule.actions.front() ? '=' : '+') + Text(action);
  }
  if (rule.trigger.kind != Trigger::Kind::kAlways) {
    text += " when " + std::string(WordOf(WordGroup::kTrigger, rule.trigger.kind));
  }
  if (rule.trigger.kind == Trigger::Kind::kFirst) text += ':' + std::to_string(rule.trigger.count);
  return text;
}

// The shortest digits that are read back as the same number.
std::string Decimal(double value) {
  std::array<char, 1100> digits{};
  const auto [end, error] =
      std::to_chars(digits.data(), digits.data() + digits.size(), value, std::chars_format::fixed);
  return {digits.data(), end};
}

std::string Text(const Replays::Item& item) {
  using Kind = Replays::Item::Kind;
  if (item.kind == Kind::kNumber) return std::to_string(item.first);
  if (item.kind == Kind::kRange) {
    return std::to_string(item.first) + '-' + std::to_string(item.last);
  }
  const std::string word = std::string(WordOf(WordGroup::kReplays, item.kind)) + ':';
  if (item.kind == Kind::kEvery) return word + std::to_string(item.first);
  if (item.kind == Kind::kBudget) return word + Decimal(item.share);
  return word + Decimal(item.share) + (item.seed == 0 ? "" : ':' + std::to_string(item.seed));
}

}  // namespace

std::string Text(const Specification& specification) {
  std::string text;
  for (const Rule& rule : specification.rules) text += (text.empty() ? "" : ";") + Text(rule);
  return text;
}

std::string Text(const Replays& replays) {
  std::string text;
  for (const auto& item : replays.items()) text += (text.empty() ? "" : ",") + Text(item);
  return text;
}

std::string Text(const Points& points) {
  std::string text;
  const auto add = [&](PointKind kind, const std::string& detail) {
    text += (text.empty() ? "" : ";") + std::string(WordOf(WordGroup::kPoint, kind)) + detail;
  };
  for (const auto& pattern : points.nvtx) add(PointKind::kNvtx, ':' + MaybeQuoted(pattern, false));
  if (points.capture) add(PointKind::kCapture, "");
  if (points.instantiate) add(PointKind::kInstantiate, "");
  if (!points.replays.items().empty()) add(PointKind::kReplay, ':' + Text(points.replays));
  if (points.out_of_memory) add(PointKind::kOutOfMemory, "");
  if (points.signal) add(PointKind::kSignal, "");
  if (points.exit) add(PointKind::kExit, "");
  return text.empty() ? "none" : text;
}

}  // namespace graphtap::spec
