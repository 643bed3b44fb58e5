#include "interpose/values/run_index.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <tuple>
#include <utility>

#include "interpose/values/run_messages.h"
#include "proto/digest.h"
#include "proto/names/names.h"
#include "proto/spec/operand.h"

namespace graphtap::values {
namespace {

// CUgraphNodeType.
constexpr std::uint32_t kKernel = 0, kMemcpy = 1, kMemset = 2;

// Of one entry, with what the containers add.
constexpr std::uint64_t kNodeBytes = 96, kTextBytes = 96, kSiteBytes = 384;

// Operand.Role of trace.proto.
enum Role : std::uint32_t { kArgument, kDestination, kSource, kOutput, kInput, kGradient };

std::string OperandText(const RunMessages::Site& site) {
  using Kind = spec::OperandName::Kind;
  constexpr auto kKinds = std::to_array<Kind>({Kind::kArgument, Kind::kDestination, Kind::kSource,
                                               Kind::kOutput, Kind::kInput, Kind::kGradient});
  spec::OperandName name;
  if (site.role < kKinds.size()) name.kind = kKinds[site.role];
  name.index = site.parameter;
  name.offset = site.offset;
  return '.' + spec::Text(name);
}

}  // namespace

// Keeps definitions while the file is read; a later copy of one says the same.
class RunIndexBuilder {
 public:
  RunIndexBuilder(RunIndex* index, std::uint64_t most_bytes)
      : index_(*index), most_bytes_(most_bytes) {}

  void Run() {
    const RunMessages read = Readers();
    frames::MessageReader messages(index_.source_);
    std::string_view message;
    while (messages.Next(&message) == frames::Found::kOne) {
      message_ = message;
      place_ = messages.place();
      read.Read(message);
      if (used_bytes_ <= most_bytes_) continue;
      index_.full_ = true;
      break;
    }
    NameSites();
    const auto by_key = [](const auto& a, const auto& b) {
      return std::tie(a.key, a.replay) < std::tie(b.key, b.replay);
    };
    std::stable_sort(index_.observations_.begin(), index_.observations_.end(), by_key);
    std::sort(index_.pieces_.begin(), index_.pieces_.end(), [](const auto& a, const auto& b) {
      return std::tie(a.payload, a.offset) < std::tie(b.payload, b.offset);
    });
  }

 private:
  using Nodes = std::map<std::uint32_t, RunMessages::Node>;  // by index

  RunMessages Readers() {
    RunMessages read;
    read.on_text = [this](const auto& text) {
      if (texts_.emplace(text.id, text.text).second) used_bytes_ += kTextBytes + text.text.size();
    };
    read.on_function = [this](const auto& function) { functions_[function.id] = function.name; };
    read.on_node = [this](const auto& node) {
      if (graphs_[node.graph].emplace(node.index, node).second) used_bytes_ += kNodeBytes;
    };
    read.on_op = [this](const auto& op) {
      if (ops_[op.graph].emplace(op.index, op).second) used_bytes_ += kNodeBytes;
    };
    read.on_executable = [this](const auto& executable) {
      executables_[executable.number] = executable.key;
    };
    read.on_site = [this](const auto& site) {
      if (sites_.emplace(site.id, site).second) used_bytes_ += kSiteBytes;
    };
    read.on_observation = [this](const auto& seen) {
      used_bytes_ += 2 * sizeof(RunIndex::Observation);
      index_.observations_.push_back(
          {0, seen.site, seen.replay, seen.hash, seen.payload, seen.payload_bytes});
    };
    read.on_piece = [this](const auto& piece) {
      used_bytes_ += 2 * sizeof(RunIndex::Piece);
      const auto behind = static_cast<std::uint32_t>(piece.bytes.data() - message_.data());
      index_.pieces_.push_back({piece.payload,
                                piece.offset,
                                {place_.frame, place_.position + behind,
                                 static_cast<std::uint32_t>(piece.bytes.size())}});
    };
    return read;
  }

  const std::string& TextOf(std::uint32_t id) const {
    static const std::string unknown = "?";
    const auto found = texts_.find(id);
    return found == texts_.end() ? unknown : found->second;
  }

  std::string LabelOf(const RunMessages::Node& node) const {
    if (node.kind == kMemcpy) return "memcpy";
    if (node.kind == kMemset) return "memset";
    if (node.kind != kKernel || !node.function) return "";
    const auto function = functions_.find(*node.function);
    if (function == functions_.end()) return "?";
    const std::string& mangled = TextOf(function->second);
    const std::string demangled = names::Demangle(mangled);
    return demangled == mangled ? mangled : names::ShortName(demangled);
  }

  std::map<std::uint32_t, names::NodeNamer::Name> NamesOf(const Nodes& nodes) const {
    std::map<std::uint32_t, names::NodeNamer::Name> result;
    names::NodeNamer namer;
    for (const auto& [index, node] : nodes) {
      const std::string label = LabelOf(node);
      if (label.empty()) continue;
      result[index] = namer.Next(node.scope ? TextOf(*node.scope) : std::string(), label);
    }
    return result;
  }

  const RunMessages::Op* OpAt(std::uint32_t graph, std::optional<std::uint32_t> index) const {
    const auto ops = ops_.find(graph);
    if (ops == ops_.end() || !index) return nullptr;
    const auto found = ops->second.find(*index);
    return found == ops->second.end() ? nullptr : &found->second;
  }

  names::NodeNamer::Name NameIn(std::optional<std::uint32_t> scope, std::uint32_t name,
                                std::uint32_t invocation) const {
    return {names::InScope(scope ? TextOf(*scope) : std::string(), TextOf(name)), invocation};
  }

  // Of the operator that added the site's node.
  names::NodeNamer::Name OpName(const RunMessages::Site& site) const {
    const auto graph = graphs_.find(site.graph);
    if (graph == graphs_.end()) return {};
    const auto node = graph->second.find(site.node);
    if (node == graph->second.end()) return {};
    const RunMessages::Op* op = OpAt(site.graph, node->second.op);
    if (op == nullptr) return {};
    return NameIn(op->scope, op->name, op->invocation);
  }

  names::NodeNamer::Name GradientName(const RunMessages::Site& site) const {
    const RunMessages::Op* op = OpAt(site.graph, site.op);
    if (op == nullptr || !op->gradient_name) return {};
    return NameIn(op->gradient_scope, *op->gradient_name, op->gradient_invocation);
  }

  names::NodeNamer::Name NameOf(const RunMessages::Site& site,
                                std::map<std::uint32_t, names::NodeNamer::Name>* by_node) const {
    if (site.role == kGradient) return GradientName(site);
    if (site.role == kOutput || site.role == kInput) return OpName(site);
    return (*by_node)[site.node];
  }

  void NameSites() {
    std::map<std::uint32_t, std::map<std::uint32_t, names::NodeNamer::Name>> names;
    for (const auto& [id, site] : sites_) {
      const auto [of_graph, first] = names.try_emplace(site.graph);
      if (first) of_graph->second = NamesOf(graphs_[site.graph]);
      const auto name = NameOf(site, &of_graph->second);
      const auto executable = executables_.find(site.executable);
      if (name.text.empty() || executable == executables_.end()) continue;
      const std::string key = TextOf(executable->second) + '/' + name.text + OperandText(site) +
                              '[' + std::to_string(name.invocation) + ']';
      const auto number = static_cast<std::uint32_t>(index_.keys_.size() + 1);
      const std::uint32_t known = index_.keys_.emplace(key, number).first->second;
      index_.sites_[id] = {.dtype = DtypeOf(site.dtype),
                           .bytes = site.bytes,
                           .exact = site.exact,
                           .copied = site.copied,
                           .comparable = site.version == kDigestVersion,
                           .key = known};
    }
    std::erase_if(index_.observations_, [this](auto& seen) {
      const auto site = index_.sites_.find(seen.site);
      if (site != index_.sites_.end()) seen.key = site->second.key;
      return site == index_.sites_.end();
    });
  }

  RunIndex& index_;
  const std::uint64_t most_bytes_;
  std::uint64_t used_bytes_ = 0;
  std::string_view message_;
  frames::Place place_;
  std::unordered_map<std::uint32_t, std::string> texts_;
  std::unordered_map<std::uint32_t, std::uint32_t> functions_, executables_;
  std::map<std::uint32_t, Nodes> graphs_;  // by id
  std::map<std::uint32_t, std::map<std::uint32_t, RunMessages::Op>> ops_;
  std::map<std::uint32_t, RunMessages::Site> sites_;
};

RunIndex::RunIndex(const frames::ByteSource& source, std::uint64_t most_bytes) : source_(source) {
  RunIndexBuilder(this, most_bytes).Run();
}

const RunIndex::Observation* RunIndex::Find(const std::string& key, std::uint64_t replay) const {
  const auto known = keys_.find(key);
  if (known == keys_.end()) return nullptr;
  const auto wanted = std::tuple(known->second, replay);
  const auto found = std::lower_bound(observations_.begin(), observations_.end(), wanted,
                                      [](const Observation& seen, const auto& place) {
                                        return std::tuple(seen.key, seen.replay) < place;
                                      });
  const bool is_it =
      found != observations_.end() && found->key == known->second && found->replay == replay;
  return is_it ? &*found : nullptr;
}

bool RunIndex::HasBytes(const std::string& key) const {
  const auto known = keys_.find(key);
  return known != keys_.end() && std::any_of(sites_.begin(), sites_.end(), [&](const auto& site) {
           return site.second.key == known->second && site.second.copied;
         });
}

bool RunIndex::Load(std::uint64_t frame) {
  if (frame_at_ == frame) return true;
  auto payload = frames::FrameReader(source_).PayloadAt(frame);
  if (!payload) return false;
  frame_ = *std::move(payload);
  frame_at_ = frame;
  return true;
}

bool RunIndex::Read(std::uint64_t payload, std::uint64_t offset, std::span<std::byte> to) {
  while (!to.empty()) {
    // The last piece that begins at or before the place that is due next.
    auto piece = std::upper_bound(pieces_.begin(), pieces_.end(), std::tuple(payload, offset),
                                  [](const auto& place, const Piece& later) {
                                    return place < std::tuple(later.payload, later.offset);
                                  });
    if (piece == pieces_.begin() || (--piece)->payload != payload) return false;
    const std::uint64_t skip = offset - piece->offset;
    const std::uint64_t begin = piece->bytes.position + skip;
    if (skip >= piece->bytes.size || !Load(piece->bytes.frame)) return false;
    const std::size_t size = std::min<std::uint64_t>(to.size(), piece->bytes.size - skip);
    if (begin + size > frame_.size()) return false;
    std::memcpy(to.data(), frame_.data() + begin, size);
    offset += size;
    to = to.subspan(size);
  }
  return true;
}

}  // namespace graphtap::values
