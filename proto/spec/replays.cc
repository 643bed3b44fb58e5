#include <algorithm>
#include <limits>

#include "proto/spec/cursor.h"
#include "proto/spec/replay_items.h"
#include "proto/spec/specification.h"
#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

using Item = Replays::Item;
constexpr const char* kReplayNumber = "the number of a replay, from 1 on";

class Parser {
 public:
  Parser(Cursor& cursor, Words words) : cursor_(cursor), words_(words) {}

  bool Run(std::vector<Item>* items) {
    do {
      cursor_.SkipSpaces();
      if (!TakeItem(&items->emplace_back())) return false;
      cursor_.SkipSpaces();
    } while (cursor_.Take(','));
    return true;
  }

 private:
  bool TakeItem(Item* item) {
    const std::size_t begin = cursor_.at();
    const char first = cursor_.Peek();
    if (first >= '0' && first <= '9') return TakeRange(item);
    const auto word = cursor_.TakeWord();
    const auto kind = FindWord(WordGroup::kReplays, word);
    const std::string expected = "expected one of N, N-M, " + Forms(WordGroup::kReplays, words_);
    if (!kind) {
      const auto found = word.empty() ? cursor_.Next() : Quoted(word);
      return cursor_.Fail(begin, expected + ", not " + found);
    }
    if (words_ == Words::kSupported && !IsSupported(WordGroup::kReplays, word)) {
      return cursor_.Fail(begin, Quoted(word) + " is not in this version yet: " + expected);
    }
    item->kind = static_cast<Item::Kind>(*kind);
    if (!cursor_.Take(':')) {
      return cursor_.Fail(cursor_.at(), "expected ':' and a number after " + Quoted(word));
    }
    return TakeValue(item);
  }

  bool TakeRange(Item* item) {
    const std::size_t begin = cursor_.at();
    if (!cursor_.TakeNumber(kReplayNumber, 1, &item->first)) return false;
    item->last = item->first;
    if (!cursor_.Take('-')) return true;
    item->kind = Item::Kind::kRange;
    if (!cursor_.TakeNumber(kReplayNumber, 1, &item->last)) return false;
    return item->first <= item->last ||
           cursor_.Fail(begin, "the range " + Quoted(cursor_.From(begin)) +
                                   " is empty: expected the smaller number first");
  }

  bool TakeValue(Item* item) {
    switch (item->kind) {
      case Item::Kind::kRandom:
        if (!cursor_.TakeFraction("a probability above 0 and up to 1", 1, &item->share)) {
          return false;
        }
        return !cursor_.Take(':') || cursor_.TakeNumber("a seed", 0, &item->seed);
      case Item::Kind::kBudget:
        return cursor_.TakeFraction("a percentage above 0 and up to 100", 100, &item->share);
      default:
        return cursor_.TakeNumber("a number of replays, from 1 on", 1, &item->first);
    }
  }

  Cursor& cursor_;
  Words words_;
};

}  // namespace

bool TakeReplayItems(Cursor& cursor, Words words, std::vector<Replays::Item>* items) {
  return Parser(cursor, words).Run(items);
}

Replays::Replays(std::string text, std::vector<Item> items)
    : text_(std::move(text)), items_(std::move(items)) {
  std::vector<Range> ranges;
  std::vector<std::uint64_t> periods;
  for (const Item& item : items_) {
    if (item.kind == Item::Kind::kNumber || item.kind == Item::Kind::kRange) {
      ranges.push_back({item.first, item.last});
    }
    if (item.kind == Item::Kind::kEvery) periods.push_back(item.first);
  }
  std::sort(ranges.begin(), ranges.end(),
            [](const Range& a, const Range& b) { return a.first < b.first; });
  for (const Range& range : ranges) {
    // first > 0, so that one less does not wrap.
    if (!ranges_.empty() && range.first - 1 <= ranges_.back().last) {
      ranges_.back().last = std::max(ranges_.back().last, range.last);
    } else {
      ranges_.push_back(range);
    }
  }
  std::sort(periods.begin(), periods.end());
  for (const std::uint64_t period : periods) {
    const auto divides = [&](std::uint64_t smaller) { return period % smaller == 0; };
    if (std::none_of(periods_.begin(), periods_.end(), divides)) periods_.push_back(period);
  }
}

bool Replays::Due(std::uint64_t replay) const noexcept {
  if (replay == 0) return false;
  const auto range = std::lower_bound(
      ranges_.begin(), ranges_.end(), replay,
      [](const Range& candidate, std::uint64_t number) { return candidate.last < number; });
  if (range != ranges_.end() && range->first <= replay) return true;
  for (const std::uint64_t period : periods_) {
    if (replay % period == 0) return true;
  }
  return false;
}

std::optional<Replays> ParseReplays(std::string_view text, std::string* error, Words words) {
  error->clear();
  std::vector<Item> items;
  Cursor cursor(text, error);
  if (!TakeReplayItems(cursor, words, &items)) return std::nullopt;
  if (!cursor.AtEnd()) {
    cursor.Fail(cursor.at(), "expected ',', not " + cursor.Next());
    return std::nullopt;
  }
  return Replays(std::string(text), std::move(items));
}

}  // namespace graphtap::spec
