#include "proto/spec/points.h"

#include <algorithm>

#include "proto/spec/cursor.h"
#include "proto/spec/replay_items.h"
#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

constexpr std::string_view kNone = "none";

class Parser {
 public:
  Parser(std::string_view text, std::string* error, Words words)
      : cursor_(text, error), words_(words) {}

  bool Run(Points* points) {
    cursor_.SkipSpaces();
    if (TakeNone()) return AtEnd("'none' stands alone");
    do {
      cursor_.SkipSpaces();
      if (!TakePoint(points)) return false;
      cursor_.SkipSpaces();
    } while (cursor_.Take(';'));
    points->replays = Replays(Text(Replays("", replays_)), replays_);
    return AtEnd("expected ';' after a point, not " + cursor_.Next());
  }

 private:
  bool TakeNone() {
    const std::size_t begin = cursor_.at();
    if (cursor_.TakeWord() == kNone) return true;
    cursor_.MoveTo(begin);
    return false;
  }

  bool AtEnd(const std::string& else_what) {
    cursor_.SkipSpaces();
    return cursor_.AtEnd() || cursor_.Fail(cursor_.at(), else_what);
  }

  bool TakePoint(Points* points) {
    const std::size_t begin = cursor_.at();
    const auto word = cursor_.TakeWord();
    const auto kind = FindWord(WordGroup::kPoint, word);
    if (!kind) {
      const std::string expected = "expected one of " + Forms(WordGroup::kPoint, words_) + ", none";
      const bool alone = word == kNone;
      const auto found = word.empty() ? cursor_.Next() : Quoted(word);
      return cursor_.Fail(begin, alone ? "'none' stands alone" : expected + ", not " + found);
    }
    switch (static_cast<PointKind>(*kind)) {
      case PointKind::kNvtx:
        return TakePattern(points);
      case PointKind::kReplay:
        return TakeColon("a list of replays", word) && TakeReplayItems(cursor_, words_, &replays_);
      case PointKind::kCapture:
        return points->capture = true;
      case PointKind::kInstantiate:
        return points->instantiate = true;
      case PointKind::kOutOfMemory:
        return points->out_of_memory = true;
      case PointKind::kSignal:
        return points->signal = true;
      default:
        return points->exit = true;
    }
  }

  bool TakeColon(const std::string& what, std::string_view word) {
    return cursor_.Take(':') ||
           cursor_.Fail(cursor_.at(), "expected ':' and " + what + " after " + Quoted(word) +
                                          ", not " + cursor_.Next());
  }

  bool TakePattern(Points* points) {
    if (!TakeColon("a pattern", "nvtx")) return false;
    const std::size_t begin = cursor_.at();
    std::string pattern;
    if (cursor_.Peek() == '"') {
      if (!cursor_.TakeQuoted(&pattern)) return false;
    } else {
      pattern = cursor_.TakeBare();
    }
    if (pattern.empty()) return cursor_.Fail(begin, "the pattern is empty");
    points->nvtx.push_back(std::move(pattern));
    return true;
  }

  Cursor cursor_;
  Words words_;
  std::vector<Replays::Item> replays_;
};

}  // namespace

bool Points::MatchesText(std::string_view candidate) const noexcept {
  return std::any_of(nvtx.begin(), nvtx.end(),
                     [&](const auto& pattern) { return Matches(pattern, candidate); });
}

bool Points::operator==(const Points& other) const {
  return nvtx == other.nvtx && capture == other.capture && instantiate == other.instantiate &&
         out_of_memory == other.out_of_memory && signal == other.signal && exit == other.exit &&
         replays == other.replays;
}

std::optional<Points> ParsePoints(std::string_view text, std::string* error, Words words) {
  error->clear();
  Points points;
  points.text = text;
  if (!Parser(text, error, words).Run(&points)) return std::nullopt;
  return points;
}

}  // namespace graphtap::spec
