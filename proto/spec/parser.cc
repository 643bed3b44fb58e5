#include <algorithm>

#include "proto/spec/cursor.h"
#include "proto/spec/operand.h"
#include "proto/spec/specification.h"
#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

constexpr std::string_view kNone = "none", kWhen = "when";

// One method for each production; each leaves the cursor behind what it read.
class Parser {
 public:
  Parser(std::string_view text, std::string* error, Words words)
      : cursor_(text, error), words_(words) {}

  bool Run(Specification* specification) {
    do {
      if (!TakeRule(&specification->rules.emplace_back())) return false;
    } while (cursor_.Take(';'));
    return true;
  }

 private:
  bool TakeRule(Rule* rule) {
    cursor_.SkipSpaces();
    const std::size_t begin = cursor_.at();
    if (cursor_.AtEnd() || cursor_.Peek() == ';') {
      return Fail("empty rule: expected one of " + Forms(WordGroup::kSelector, words_));
    }
    if (!TakeSelectors(rule) || !TakeActions(rule) || !TakeTrigger(rule)) return false;
    auto text = cursor_.From(begin);
    while (IsSpace(text.back())) text.remove_suffix(1);
    rule->text = text;
    if (cursor_.AtEnd() || cursor_.Peek() == ';') return true;
    return Fail(std::string("expected ") + follows_ + ", not " + cursor_.Next());
  }

  bool TakeSelectors(Rule* rule) {
    do {
      cursor_.SkipSpaces();
      if (!TakeSelector(&rule->selectors.emplace_back())) return false;
      cursor_.SkipSpaces();
    } while (cursor_.Take(','));
    follows_ = "one of ',', '=', 'when', ';' after a selector";
    return true;
  }

  bool TakeSelector(Selector* selector) {
    const std::size_t begin = cursor_.at();
    const auto word = cursor_.TakeWord();
    if (!Find(WordGroup::kSelector, "selector", word, begin, &selector->kind)) return false;
    if (selector->kind == SelectorKind::kAll) return TakeOperand(selector);
    if (!cursor_.Take(':')) {
      return Fail("expected ':' and a pattern after " + Quoted(word) + ", not " + cursor_.Next());
    }
    if (cursor_.Peek() != '"') return TakeBarePattern(selector);
    const std::size_t open = cursor_.at();
    if (!cursor_.TakeQuoted(&selector->pattern)) return false;
    if (selector->pattern.empty()) return cursor_.Fail(open, kNoPattern);
    return TakeOperand(selector);
  }

  // The last part of a bare pattern is an operand if it has the form of one.
  bool TakeBarePattern(Selector* selector) {
    const std::size_t begin = cursor_.at();
    auto pattern = cursor_.TakeBare();
    const auto dot = pattern.rfind('.');
    OperandName operand;
    if (dot != std::string_view::npos &&
        ReadOperand(pattern.substr(dot + 1), &operand) != OperandReading::kNone) {
      pattern = pattern.substr(0, dot);
    }
    if (pattern.empty()) return cursor_.Fail(begin, kNoPattern);
    selector->pattern = pattern;
    cursor_.MoveTo(begin + pattern.size());
    return TakeOperand(selector);
  }

  // A period and an operand, or nothing.
  bool TakeOperand(Selector* selector) {
    if (!cursor_.Take('.')) return true;
    const std::size_t begin = cursor_.at();
    const auto text = cursor_.TakeBare();
    OperandName& operand = selector->operand.emplace();
    switch (ReadOperand(text, &operand)) {
      case OperandReading::kNone:
        return cursor_.Fail(begin, "unknown operand " + Quoted(text) + ": expected one of " +
                                       Forms(WordGroup::kOperand, words_));
      case OperandReading::kBadIndex:
        return cursor_.Fail(begin, Quoted(text) + ": expected a number up to 4294967295");
      case OperandReading::kBadOffset:
        return cursor_.Fail(
            begin, Quoted(text) + ": expected +0x and hexadecimal digits, up to " + "+0xffffffff");
      case OperandReading::kRead:
        break;
    }
    return Refuse(WordGroup::kOperand, WordOf(WordGroup::kOperand, operand.kind), begin);
  }

  bool TakeActions(Rule* rule) {
    if (!cursor_.Take('=')) {
      rule->actions.emplace_back();
      return true;
    }
    do {
      cursor_.SkipSpaces();
      if (!TakeAction(rule)) return false;
      cursor_.SkipSpaces();
    } while (cursor_.Take('+'));
    follows_ = "one of '+', 'when', ';' after an action";
    return true;
  }

  bool TakeAction(Rule* rule) {
    const std::size_t begin = cursor_.at();
    const auto word = cursor_.TakeWord();
    if (rule->none || (word == kNone && !rule->actions.empty())) {
      return cursor_.Fail(begin, "'none' stands alone");
    }
    if (word == kNone) return rule->none = true;
    Action action;
    if (!Find(WordGroup::kAction, "action", word, begin, &action.kind)) return false;
    const auto is_same = [&](const Action& other) { return other.kind == action.kind; };
    if (std::any_of(rule->actions.begin(), rule->actions.end(), is_same)) {
      return cursor_.Fail(begin, Quoted(word) + " is there twice");
    }
    if (!TakeActionValue(&action)) return false;
    rule->actions.push_back(std::move(action));
    return true;
  }

  bool TakeActionValue(Action* action) {
    const bool has_value = action->kind == ActionKind::kCopy ||
                           action->kind == ActionKind::kPrint || action->kind == ActionKind::kCheck;
    if (!has_value || !cursor_.Take(':')) return true;
    if (action->kind != ActionKind::kCheck) {
      return cursor_.TakeNumber("a number from 1 on, with K, M or G (1024)", 1, &action->number);
    }
    const std::size_t begin = cursor_.at();
    if (cursor_.Peek() == '"') {
      if (!cursor_.TakeQuoted(&action->path)) return false;
    } else {
      action->path = cursor_.TakeBare('+');
    }
    return !action->path.empty() || cursor_.Fail(begin, "expected a path after 'check:'");
  }

  bool TakeTrigger(Rule* rule) {
    cursor_.SkipSpaces();
    std::size_t begin = cursor_.at();
    if (cursor_.TakeWord() != kWhen) {
      cursor_.MoveTo(begin);
      return true;
    }
    cursor_.SkipSpaces();
    begin = cursor_.at();
    const auto word = cursor_.TakeWord();
    if (!Find(WordGroup::kTrigger, "trigger", word, begin, &rule->trigger.kind)) return false;
    if (rule->trigger.kind == Trigger::Kind::kFirst) {
      if (!cursor_.Take(':')) return Fail("expected ':' and a number after 'first'");
      if (!cursor_.TakeNumber("a number from 1 on", 1, &rule->trigger.count)) return false;
    }
    cursor_.SkipSpaces();
    follows_ = "';' after a trigger";
    return true;
  }

  // The value of a word of the grammar that may be used.
  template <typename Kind>
  bool Find(WordGroup group, const char* what, std::string_view word, std::size_t place,
            Kind* kind) {
    if (const auto value = FindWord(group, word)) {
      *kind = static_cast<Kind>(*value);
      return Refuse(group, word, place);
    }
    const std::string expected = "expected one of " + Allowed(group);
    if (word.empty()) return cursor_.Fail(place, expected + ", not " + cursor_.Next());
    return cursor_.Fail(place,
                        std::string("unknown ") + what + ' ' + Quoted(word) + ": " + expected);
  }

  // False, with the message, if this release cannot do the word yet.
  bool Refuse(WordGroup group, std::string_view word, std::size_t place) {
    if (words_ == Words::kAll || IsSupported(group, word)) return true;
    return cursor_.Fail(
        place, Quoted(word) + " is not in this version yet: expected one of " + Allowed(group));
  }

  std::string Allowed(WordGroup group) const {
    return (group == WordGroup::kAction ? std::string(kNone) + ", " : "") + Forms(group, words_);
  }

  bool Fail(const std::string& message) { return cursor_.Fail(cursor_.at(), message); }

  static constexpr const char* kNoPattern = "the pattern is empty";

  Cursor cursor_;
  Words words_;
  const char* follows_ = "";  // what may follow what was read last
};

}  // namespace

bool Rule::operator==(const Rule& other) const {
  return selectors == other.selectors && actions == other.actions && none == other.none &&
         trigger == other.trigger;
}

std::optional<Specification> ParseSpecification(std::string_view text, std::string* error,
                                                Words words) {
  error->clear();
  Specification specification;
  if (!Parser(text, error, words).Run(&specification)) return std::nullopt;
  specification.text = text;
  return specification;
}

}  // namespace graphtap::spec
