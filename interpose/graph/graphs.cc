#include "interpose/graph/graphs.h"

namespace graphtap::graph {

std::optional<std::uint32_t> GraphVersion::IndexOf(CUgraphNode node) const {
  const std::lock_guard lock(mutex_);
  if (!index_) index_.emplace(handles_);
  return index_->Find(node);
}

void GraphVersion::SetHandles(std::vector<CUgraphNode> handles) {
  const std::lock_guard lock(mutex_);
  if (handles == handles_) return;
  handles_ = std::move(handles);
  index_.reset();
}

void GraphVersion::ForgetHandles() noexcept {
  const std::lock_guard lock(mutex_);
  handles_ = {};
  index_.reset();
}

std::string Graphs::NextKey(const std::string& range) {
  const std::string name = range.empty() ? "graph" : range;
  const std::lock_guard lock(mutex_);
  return name + "#" + std::to_string(ordinals_[name]++);
}

std::uint32_t Graphs::OnCaptured(CapturedGraph captured) {
  auto entry = std::make_shared<Entry>();
  entry->key = std::move(captured.key);
  entry->capture = captured.capture;
  entry->hints->scopes = std::move(captured.scopes);
  entry->hints->ops = std::move(captured.ops);
  entry->hints->blocks = std::move(captured.blocks);
  // Not one lock inside the other: whoever reads a graph has locked its entry, and asks here for
  // the hints of other graphs.
  std::shared_ptr<Entry> known;
  {
    const std::lock_guard lock(mutex_);
    auto& place = entries_[captured.handle];
    known = place;
    if (known == nullptr || !captured.to_graph) {
      entry->number = next_number_++;
      place = entry;
    }
  }
  if (known == nullptr) return entry->number;
  const std::lock_guard lock(known->mutex);
  if (captured.to_graph) {
    known->hints->scopes.merge(entry->hints->scopes);
    ops::Append(std::move(entry->hints->ops), &known->hints->ops);
    known->hints->blocks.merge(entry->hints->blocks);
    return known->number;
  }
  // Conditional nodes were added during the capture.
  entry->hints->conditionals = known->hints->conditionals;
  return entry->number;
}

void Graphs::OnConditional(CUgraph graph, CUgraphNode node, Conditional conditional) {
  const auto entry = FindOrAdd(graph, "");
  const std::lock_guard lock(entry->mutex);
  entry->hints->conditionals[node] = std::move(conditional);
}

std::shared_ptr<Graphs::Entry> Graphs::Remove(CUgraph graph) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(graph);
  if (found == entries_.end()) return nullptr;
  auto entry = std::move(found->second);
  entries_.erase(found);
  return entry;
}

Graphs::Leaving Graphs::Take(CUgraph graph) {
  Leaving leaving;
  if (auto entry = Remove(graph)) leaving.emplace_back(graph, std::move(entry));
  // The bodies of conditional nodes end with the graph that holds them.
  for (std::size_t i = 0; i < leaving.size(); ++i) {
    const auto hints = leaving[i].second->hints;
    for (const auto& [node, conditional] : hints->conditionals) {
      for (CUgraph body : conditional.bodies) {
        if (auto entry = Remove(body)) leaving.emplace_back(body, std::move(entry));
      }
    }
  }
  return leaving;
}

void Graphs::OnDestroyed(Leaving leaving, bool destroyed) {
  for (auto& [graph, entry] : leaving) {
    if (!destroyed) {
      const std::lock_guard lock(mutex_);
      entries_.emplace(graph, std::move(entry));
    } else if (entry->latest != nullptr) {
      entry->latest->ForgetHandles();
    }
  }
}

std::shared_ptr<GraphVersion> Graphs::Known(CUgraph graph) {
  std::shared_ptr<Entry> entry;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(graph);
    if (found == entries_.end()) return nullptr;
    entry = found->second;
  }
  const std::lock_guard lock(entry->mutex);
  return entry->latest;
}

std::shared_ptr<const NodeHints> Graphs::HintsOf(CUgraph graph) {
  // Never destroyed: threads may still be here while the process exits.
  static const auto& none = *new std::shared_ptr<const NodeHints>(new NodeHints);
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(graph);
  return found == entries_.end() ? none : found->second->hints;
}

std::shared_ptr<Graphs::Entry> Graphs::FindOrAdd(CUgraph graph, const std::string& range) {
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(graph);
    if (found != entries_.end()) return found->second;
  }
  auto entry = std::make_shared<Entry>();
  entry->key = NextKey(range);
  const std::lock_guard lock(mutex_);
  entry->number = next_number_++;
  return entries_.emplace(graph, std::move(entry)).first->second;
}

record::StringId Graphs::InternName(std::string_view name) {
  const auto id = session_.recorder().Intern(name);
  const std::lock_guard lock(mutex_);
  names_.try_emplace(id, name);
  return id;
}

std::string Graphs::NameText(record::StringId name) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(name);
  return found == names_.end() ? std::string() : found->second;
}

std::shared_ptr<GraphVersion> Graphs::Current(CUgraph graph, const std::string& range,
                                              GraphModel* model) {
  const auto entry = FindOrAdd(graph, range);
  const std::lock_guard lock(entry->mutex);
  ParameterReader parameters(session_, functions_, addresses_);
  GraphReader reader(session_, parameters, own_nodes_,
                     [this](CUgraph level) { return HintsOf(level); });
  if (!reader.Read(graph, model)) {
    session_.recorder().Count(Loss::graph_unread);
    return nullptr;
  }
  Update(entry.get(), *model);
  entry->latest->SetHandles(model->handles);
  return entry->latest;
}

std::shared_ptr<Graphs::Entry> Graphs::AddEager(const std::string& range) {
  auto entry = std::make_shared<Entry>();
  entry->key = range + "#0";
  entry->eager = true;
  const std::lock_guard lock(mutex_);
  entry->number = next_number_++;
  return entry;
}

std::shared_ptr<GraphVersion> Graphs::VersionOf(Entry* entry, const GraphModel& model) {
  const std::lock_guard lock(entry->mutex);
  Update(entry, model);
  return entry->latest;
}

// The entry is locked.
void Graphs::Update(Entry* entry, const GraphModel& model) {
  auto contents = std::make_shared<record::GraphContents>(model.nodes, model.ops);
  if (entry->latest != nullptr && entry->contents->Fingerprint() == contents->Fingerprint()) return;
  entry->latest = Define(entry, model, contents);
  entry->contents = std::move(contents);
}

std::shared_ptr<GraphVersion> Graphs::Define(Entry* entry, const GraphModel& model,
                                             std::shared_ptr<record::GraphContents> contents) {
  record::Graph graph;
  graph.number = entry->number;
  graph.version = entry->next_version++;
  auto key_text = std::make_shared<const record::OwnedText>(session_.recorder(), entry->key);
  graph.key = key_text->id();
  graph.capture = entry->capture;
  graph.node_count = static_cast<std::uint32_t>(model.nodes->size());
  graph.edge_count = model.edge_count;
  graph.eager = entry->eager;
  graph.time_ns = session::Now();
  const auto id = session_.recorder().Define(graph, std::move(contents));
  auto version = std::make_shared<GraphVersion>(session_.recorder(), id, std::move(key_text));
  version->key = entry->key;
  for (const record::Node& node : *model.nodes) {
    const auto& parameters = node.parameters;
    if (!parameters.allocation_bytes) continue;
    version->allocations.push_back(
        {parameters.operands.front().address, *parameters.allocation_bytes});
  }
  return version;
}

namespace {

std::string ExecutableKey(const GraphVersion& version, std::uint32_t ordinal) {
  return ordinal == 0 ? version.key : version.key + "/x" + std::to_string(ordinal);
}

}  // namespace

std::string Graphs::NextExecutableKey(CUgraph graph, const GraphVersion& version) {
  const auto entry = FindOrAdd(graph, "");
  const std::lock_guard lock(entry->mutex);
  return ExecutableKey(version, entry->executables++);
}

std::string Graphs::ExpectedExecutableKey(CUgraph graph, const GraphVersion& version) {
  const auto entry = FindOrAdd(graph, "");
  const std::lock_guard lock(entry->mutex);
  return ExecutableKey(version, entry->executables);
}

}  // namespace graphtap::graph
