// Pairing: which of the things that a graph has are which of the same graph in another run. By name
// and invocation where both graphs have the same names; else, because one more shifts all later
// invocations, by the longest common subsequence of (name, shape), then of names alone in the gaps,
// then by name what was moved. Pure functions of frozen graphs, any thread, no failure.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "analyzer/tensors/align.h"

namespace graphtap::tensors {

template <typename Item>
struct Pairing {
  absl::flat_hash_map<const Item*, const Item*> candidate_of;
  absl::flat_hash_map<const Item*, const Item*> reference_of;
  std::vector<const Item*> removed;   // of the reference graph, without a partner
  std::vector<const Item*> inserted;  // of the candidate graph
  std::size_t moved = 0;              // pairs that stand in another order
};

// Name: a function of an item to its name. Shape: to what makes two of one name alike.
template <typename Item, typename Name, typename Shape>
class Pairer {
 public:
  using Items = std::vector<const Item*>;

  Pairer(Items reference, Items candidate, Name name, Shape shape)
      : reference_(std::move(reference)),
        candidate_(std::move(candidate)),
        name_(std::move(name)),
        shape_(std::move(shape)) {}

  Pairing<Item> Run() {
    if (HaveSameNames()) {
      PairLeftoversByName();
    } else {
      PairInOrder();
      const auto in_order = pairing_.candidate_of.size();
      PairLeftoversByName();
      pairing_.moved = pairing_.candidate_of.size() - in_order;
    }
    for (const auto* item : reference_) {
      if (!pairing_.candidate_of.contains(item)) pairing_.removed.push_back(item);
    }
    for (const auto* item : candidate_) {
      if (!pairing_.reference_of.contains(item)) pairing_.inserted.push_back(item);
    }
    return std::move(pairing_);
  }

 private:
  // Equal texts as equal numbers.
  class Numbers {
   public:
    template <typename ToText>
    std::vector<std::uint32_t> Of(std::span<const Item* const> items, const ToText& text) {
      std::vector<std::uint32_t> numbers;
      for (const auto* item : items) {
        const auto next = static_cast<std::uint32_t>(numbers_.size());
        numbers.push_back(numbers_.try_emplace(text(*item), next).first->second);
      }
      return numbers;
    }

   private:
    absl::flat_hash_map<std::string, std::uint32_t> numbers_;
  };

  bool HaveSameNames() {
    std::map<std::string, std::int64_t> counts;
    for (const auto* item : reference_) ++counts[name_(*item)];
    for (const auto* item : candidate_) --counts[name_(*item)];
    const bool same = std::all_of(counts.begin(), counts.end(),
                                  [](const auto& entry) { return entry.second == 0; });
    if (same) {
      for (std::size_t i = 0; i < reference_.size(); ++i) {
        pairing_.moved += name_(*reference_[i]) != name_(*candidate_[i]);
      }
    }
    return same;
  }

  void Pair(const Item* reference, const Item* candidate) {
    pairing_.candidate_of.emplace(reference, candidate);
    pairing_.reference_of.emplace(candidate, reference);
  }

  void PairInOrder() {
    Numbers numbers;
    const auto full = [this](const Item& item) { return name_(item) + '\0' + shape_(item); };
    const auto pairs = Align(numbers.Of(reference_, full), numbers.Of(candidate_, full));
    std::size_t reference = 0, candidate = 0;
    for (const auto& [r, c] : pairs) {
      PairGap(reference, r, candidate, c);
      Pair(reference_[r], candidate_[c]);
      reference = r + 1;
      candidate = c + 1;
    }
    PairGap(reference, reference_.size(), candidate, candidate_.size());
  }

  // What lies between two pairs, by name alone.
  void PairGap(std::size_t r, std::size_t r_end, std::size_t c, std::size_t c_end) {
    if (r == r_end || c == c_end) return;
    Numbers numbers;
    const std::span<const Item* const> a(&reference_[r], r_end - r);
    const std::span<const Item* const> b(&candidate_[c], c_end - c);
    for (const auto& [i, j] : Align(numbers.Of(a, name_), numbers.Of(b, name_))) Pair(a[i], b[j]);
  }

  // The first with the first, and so on: by invocation, where nothing is paired yet.
  void PairLeftoversByName() {
    std::map<std::string, Items> left;
    for (const auto* item : candidate_) {
      if (!pairing_.reference_of.contains(item)) left[name_(*item)].push_back(item);
    }
    std::map<std::string, std::size_t> taken;
    for (const auto* item : reference_) {
      if (pairing_.candidate_of.contains(item)) continue;
      const auto found = left.find(name_(*item));
      if (found == left.end()) continue;
      auto& next = taken[name_(*item)];
      if (next < found->second.size()) Pair(item, found->second[next++]);
    }
  }

  const Items reference_, candidate_;
  const Name name_;
  const Shape shape_;
  Pairing<Item> pairing_;
};

}  // namespace graphtap::tensors
