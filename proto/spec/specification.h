// Specification: which sites a user wants to observe, in which replays, and how: the grammar of
// docs/probes.md as values. Owner: whoever parsed it. Threads: read-only, any. Failure: Parse gives
// nullopt and says in *error, in three lines, what is wrong and what is allowed, the text, and a
// caret under the place. No CUDA. Units: bytes, replay numbers from 1.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace graphtap::spec {

enum class SelectorKind : std::uint8_t { kAll, kKernel, kScope, kNode, kOp, kGrad };

// ".arg3+0x18", ".out0", ".dst": which operand of the selected nodes; absent: each.
struct OperandName {
  enum class Kind : std::uint8_t { kArgument, kDestination, kSource, kOutput, kInput, kGradient };
  Kind kind = Kind::kArgument;
  std::uint32_t index = 0;              // of arg, out, in, grad
  std::optional<std::uint32_t> offset;  // absent: the argument itself, or each pointer inside it

  bool operator==(const OperandName&) const = default;
};

struct Selector {
  SelectorKind kind = SelectorKind::kAll;
  std::string pattern;  // glob; empty for `all`
  std::optional<OperandName> operand;

  bool operator==(const Selector&) const = default;
};

enum class ActionKind : std::uint8_t { kDigest, kHash, kCopy, kPrint, kCheck };

struct Action {
  ActionKind kind = ActionKind::kDigest;
  std::uint64_t number = 0;  // copy: bytes (0: all); print: every (0: not said)
  std::string path;          // check; empty: not said

  bool operator==(const Action&) const = default;
};

struct Trigger {
  enum class Kind : std::uint8_t { kAlways, kNonfinite, kChanged, kFirst };
  Kind kind = Kind::kAlways;
  std::uint64_t count = 0;  // of kFirst

  bool operator==(const Trigger&) const = default;
};

struct Rule {
  std::string text;  // as written, trimmed
  std::vector<Selector> selectors;
  std::vector<Action> actions;  // each kind at most once; empty exactly if `none`
  bool none = false;            // takes sites out
  Trigger trigger;

  // Of what they mean: the texts may differ.
  bool operator==(const Rule& other) const;
};

struct Specification {
  std::string text;  // as written
  std::vector<Rule> rules;

  bool operator==(const Specification& other) const { return rules == other.rules; }
};

// Which replays are due.
class Replays {
 public:
  struct Item {
    enum class Kind : std::uint8_t { kNumber, kRange, kEvery, kRandom, kBudget };
    Kind kind = Kind::kNumber;
    std::uint64_t first = 0, last = 0;  // number: first == last; every: first is n
    double share = 0;                   // random: probability; budget: percent
    std::uint64_t seed = 0;             // random

    bool operator==(const Item&) const = default;
  };

  Replays() = default;  // none is due
  Replays(std::string text, std::vector<Item> items);

  // Tens of nanoseconds: asked at each launch. Says nothing about random and budget.
  bool Due(std::uint64_t replay) const noexcept;

  const std::string& text() const { return text_; }  // as written
  const std::vector<Item>& items() const { return items_; }

  // Of what they mean: the texts may differ.
  bool operator==(const Replays& other) const { return items_ == other.items_; }

 private:
  struct Range {
    std::uint64_t first, last;
  };

  std::string text_;
  std::vector<Item> items_;
  std::vector<Range> ranges_;           // sorted, apart from each other
  std::vector<std::uint64_t> periods_;  // none divides another
};

// Which words may be used: those that this release can do, or the whole grammar.
enum class Words : std::uint8_t { kSupported, kAll };

std::optional<Specification> ParseSpecification(std::string_view text, std::string* error,
                                                Words words = Words::kSupported);
std::optional<Replays> ParseReplays(std::string_view text, std::string* error,
                                    Words words = Words::kSupported);

// The canonical text: parsed again it gives an equal value.
std::string Text(const Specification& specification);
std::string Text(const Replays& replays);

// Shell glob over a whole text: * ? [a-z] [!a]; everything else is itself, also a [ that no ]
// closes. Bytes, case counts. Linear memory, no recursion.
bool Matches(std::string_view pattern, std::string_view text) noexcept;

}  // namespace graphtap::spec
