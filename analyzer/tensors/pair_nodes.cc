#include "analyzer/tensors/pair_nodes.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/tensors/align.h"
#include "proto/names/names.h"

namespace graphtap::tensors {
namespace {

using Nodes = std::vector<const model::Node*>;

Nodes NamedNodes(const model::Graph& graph) {
  Nodes nodes;
  for (const auto& node : graph.nodes) {
    if (!node.name.empty()) nodes.push_back(&node);
  }
  return nodes;
}

// What makes two nodes of one name alike: element types of the pointers, and how much is done.
std::string ShapeOf(const model::Node& node) {
  const auto& parameters = node.record.parameters();
  if (parameters.has_kernel()) {
    const auto& kernel = parameters.kernel();
    std::string shape =
        absl::StrFormat("%ux%ux%u", kernel.grid_x(), kernel.grid_y(), kernel.grid_z());
    if (node.function == nullptr) return shape;
    const auto count = static_cast<std::uint32_t>(node.function->record.parameters_size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const Dtype dtype = names::ParameterDtype(node.function->demangled, i);
      absl::StrAppendFormat(&shape, " %u", static_cast<unsigned>(dtype));
    }
    return shape;
  }
  const auto& memcpy = parameters.memcpy();
  const auto& memset = parameters.memset();
  return absl::StrFormat("%u %u %u %u %u %u", memcpy.width_bytes(), memcpy.height(), memcpy.depth(),
                         memset.element_bytes(), memset.width(), memset.height());
}

// Equal texts as equal numbers.
class Numbers {
 public:
  template <typename ToText>
  std::vector<std::uint32_t> Of(std::span<const model::Node* const> nodes, const ToText& text) {
    std::vector<std::uint32_t> numbers;
    for (const auto* node : nodes) {
      const auto next = static_cast<std::uint32_t>(numbers_.size());
      numbers.push_back(numbers_.try_emplace(text(*node), next).first->second);
    }
    return numbers;
  }

 private:
  absl::flat_hash_map<std::string, std::uint32_t> numbers_;
};

class Pairer {
 public:
  Pairer(const model::Graph& reference, const model::Graph& candidate)
      : reference_(NamedNodes(reference)), candidate_(NamedNodes(candidate)) {}

  NodePairing Run() {
    if (HaveSameNames()) {
      PairLeftoversByName();
    } else {
      PairInOrder();
      const auto in_order = pairing_.candidate_of.size();
      PairLeftoversByName();
      pairing_.moved = pairing_.candidate_of.size() - in_order;
    }
    for (const auto* node : reference_) {
      if (!pairing_.candidate_of.contains(node)) pairing_.removed.push_back(node);
    }
    for (const auto* node : candidate_) {
      if (!pairing_.reference_of.contains(node)) pairing_.inserted.push_back(node);
    }
    return std::move(pairing_);
  }

 private:
  bool HaveSameNames() {
    std::map<std::string, std::int64_t> counts;
    for (const auto* node : reference_) ++counts[node->name];
    for (const auto* node : candidate_) --counts[node->name];
    const bool same = std::all_of(counts.begin(), counts.end(),
                                  [](const auto& entry) { return entry.second == 0; });
    if (same) {
      for (std::size_t i = 0; i < reference_.size(); ++i) {
        pairing_.moved += reference_[i]->name != candidate_[i]->name;
      }
    }
    return same;
  }

  void Pair(const model::Node* reference, const model::Node* candidate) {
    pairing_.candidate_of.emplace(reference, candidate);
    pairing_.reference_of.emplace(candidate, reference);
  }

  void PairInOrder() {
    Numbers numbers;
    const auto full = [](const model::Node& node) { return node.name + '\0' + ShapeOf(node); };
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
    const std::span<const model::Node* const> a(&reference_[r], r_end - r);
    const std::span<const model::Node* const> b(&candidate_[c], c_end - c);
    const auto name = [](const model::Node& node) { return node.name; };
    for (const auto& [i, j] : Align(numbers.Of(a, name), numbers.Of(b, name))) Pair(a[i], b[j]);
  }

  // The first with the first, and so on: by invocation, where nothing is paired yet.
  void PairLeftoversByName() {
    std::map<std::string, Nodes> left;
    for (const auto* node : candidate_) {
      if (!pairing_.reference_of.contains(node)) left[node->name].push_back(node);
    }
    std::map<std::string, std::size_t> taken;
    for (const auto* node : reference_) {
      if (pairing_.candidate_of.contains(node)) continue;
      const auto found = left.find(node->name);
      if (found == left.end()) continue;
      auto& next = taken[node->name];
      if (next < found->second.size()) Pair(node, found->second[next++]);
    }
  }

  Nodes reference_, candidate_;
  NodePairing pairing_;
};

}  // namespace

NodePairing PairNodes(const model::Graph& reference, const model::Graph& candidate) {
  return Pairer(reference, candidate).Run();
}

}  // namespace graphtap::tensors
