// How the records of probes become tables of the process.
#include <algorithm>
#include <tuple>
#include <utility>

#include "analyzer/model/process_builder.h"
#include "proto/names/names.h"

namespace graphtap::model {
namespace {

const Node* NodeAt(const Graph& graph, std::uint32_t index) {
  const auto found = std::lower_bound(
      graph.nodes.begin(), graph.nodes.end(), index,
      [](const Node& node, std::uint32_t wanted) { return node.record.index() < wanted; });
  return found == graph.nodes.end() || found->record.index() != index ? nullptr : &*found;
}

// Where an operand stands in the lists: by node, argument, offset; a gradient by what it flows
// into.
template <typename Record>
auto OrderOf(const Record& record) {
  return std::tuple(record.node(), record.role(), record.op(), record.parameter(), record.offset());
}

// What the site says, else what the kernel's signature says of a pointer parameter.
Dtype DtypeOfSite(const Site& site) {
  const Dtype recorded = DtypeOf(site.record.dtype());
  if (recorded != Dtype::kUnknown || site.record.role() != Operand::ROLE_ARGUMENT ||
      site.record.has_offset() || site.node == nullptr || site.node->function == nullptr) {
    return recorded;
  }
  return names::ParameterDtype(site.node->function->demangled, site.record.parameter());
}

bool IsOfOp(Operand::Role role) {
  return role == Operand::ROLE_OUTPUT || role == Operand::ROLE_INPUT ||
         role == Operand::ROLE_GRADIENT;
}

// Whose tensor it is, or into which the gradient flows; nullptr: it is no operator's, or that is
// lost.
template <typename Record>
const Op* OpOf(const Graph* graph, const Node* node, const Record& record) {
  if (!IsOfOp(record.role()) || graph == nullptr) return nullptr;
  if (record.role() != Operand::ROLE_GRADIENT) return node == nullptr ? nullptr : node->op;
  const auto found = record.has_op() ? graph->ops.find(record.op()) : graph->ops.end();
  return found == graph->ops.end() ? nullptr : &found->second;
}

// Name and invocation: an operator's tensors are named after it, a gradient after whose it is,
// other operands after their node.
template <typename Record>
std::pair<std::string, std::uint32_t> NameOf(const Node* node, const Op* op, const Record& record) {
  std::pair<std::string, std::uint32_t> named{"?", 0};
  if (op != nullptr && record.role() == Operand::ROLE_GRADIENT) {
    named = {op->gradient_name, op->gradient_invocation};
  } else if (op != nullptr) {
    named = {op->name, op->record.invocation()};
  } else if (node != nullptr && !IsOfOp(record.role()) && !node->name.empty()) {
    named = {node->name, node->invocation};
  }
  named.first += OperandName(record);
  return named;
}

}  // namespace

// Takes the entry if it is of a kind that probes write.
bool ProcessBuilder::AddObserved(Entry* entry, const reader::Place& place) {
  switch (entry->body_case()) {
    case Entry::kSite: {
      auto& site = process_->sites[entry->site().id()];
      site.record = std::move(*entry->mutable_site());
      ExecutableAt(site.record.executable());
      return true;
    }
    case Entry::kObservation: {
      auto& record = *entry->mutable_observation();
      auto& [site, row] = observed_.emplace_back();
      site = record.site();
      row.replay = record.replay();
      if (record.has_hash()) row.hash = record.hash();
      if (record.has_statistics()) {
        row.statistics =
            std::make_unique<const Statistics>(std::move(*record.mutable_statistics()));
      }
      if (record.has_payload()) row.payload = record.payload();
      row.payload_bytes = record.payload_bytes();
      return true;
    }
    case Entry::kPayloadPiece: {
      const auto& piece = entry->payload_piece();
      process_->payloads.pieces.push_back(
          {.payload = piece.payload(),
           .offset = piece.offset(),
           .bytes = static_cast<std::uint32_t>(piece.bytes().size()),
           .place = place});
      return true;
    }
    case Entry::kRuleCounts:
      process_->rules[entry->rule_counts().rule()].counts =
          std::move(*entry->mutable_rule_counts());
      return true;
    case Entry::kCheckFailure:
      process_->check_failures.push_back({.record = std::move(*entry->mutable_check_failure())});
      return true;
    case Entry::kShadow:
      ExecutableAt(entry->shadow().executable())
          .shadows.push_back(std::move(*entry->mutable_shadow()));
      return true;
    case Entry::kRefusal:
      ExecutableAt(entry->refusal().executable())
          .refusals.push_back({.record = std::move(*entry->mutable_refusal())});
      return true;
    default:
      return false;
  }
}

void ProcessBuilder::ResolveSite(Site* site) {
  const auto& record = site->record;
  const auto executable = process_->executables.find(record.executable());
  if (executable != process_->executables.end()) site->executable = &executable->second;
  const auto graph = process_->graphs.find(record.graph());
  if (graph != process_->graphs.end()) site->graph = &graph->second;
  if (site->graph != nullptr) site->node = NodeAt(*site->graph, record.node());
  site->operand = OperandName(record);
  site->op = OpOf(site->graph, site->node, record);
  std::tie(site->name, site->invocation) = NameOf(site->node, site->op, record);
  site->dtype = DtypeOfSite(*site);
}

void ProcessBuilder::ResolveRefusal(Refusal* refusal) {
  const auto graph = process_->graphs.find(refusal->record.graph());
  const Graph* of = graph == process_->graphs.end() ? nullptr : &graph->second;
  const Node* node = of == nullptr ? nullptr : NodeAt(*of, refusal->record.node());
  std::tie(refusal->name, refusal->invocation) =
      NameOf(node, OpOf(of, node, refusal->record), refusal->record);
}

void ProcessBuilder::DistributeObservations() {
  for (auto& [id, row] : observed_) {
    const auto site = process_->sites.find(id);
    if (site == process_->sites.end()) continue;  // an orphan, counted as such
    row.site = &site->second;
    if (row.payload) {
      row.payload_complete = process_->payloads.Covers(*row.payload, row.payload_bytes);
      process_->incomplete_payloads += !row.payload_complete;
    }
    process_->executables.at(site->second.record.executable())
        .observations.push_back(std::move(row));
  }
  observed_.clear();
}

void ProcessBuilder::ResolveObserved() {
  std::sort(process_->payloads.pieces.begin(), process_->payloads.pieces.end(),
            [](const Piece& a, const Piece& b) {
              return std::tie(a.payload, a.offset) < std::tie(b.payload, b.offset);
            });
  for (auto& [id, site] : process_->sites) {
    ResolveSite(&site);
    process_->executables.at(site.record.executable()).sites.push_back(&site);
  }
  DistributeObservations();
  for (auto& failure : process_->check_failures) {
    const auto site = process_->sites.find(failure.record.site());
    if (site != process_->sites.end()) failure.site = &site->second;
  }
  for (auto& [number, executable] : process_->executables) {
    std::stable_sort(executable.observations.begin(), executable.observations.end(),
                     [](const Observation& a, const Observation& b) {
                       if (a.replay != b.replay) return a.replay < b.replay;
                       return OrderOf(a.site->record) < OrderOf(b.site->record);
                     });
    std::stable_sort(executable.due.begin(), executable.due.end(),
                     [](const auto& a, const auto& b) { return a.number() < b.number(); });
    for (auto& refusal : executable.refusals) ResolveRefusal(&refusal);
    std::stable_sort(
        executable.refusals.begin(), executable.refusals.end(),
        [](const Refusal& a, const Refusal& b) { return OrderOf(a.record) < OrderOf(b.record); });
  }
  const auto texts = RuleTexts(process_->run.specification());
  for (std::uint32_t rule = 0; rule < texts.size(); ++rule) {
    process_->rules[rule].text = texts[rule];
  }
}

}  // namespace graphtap::model
