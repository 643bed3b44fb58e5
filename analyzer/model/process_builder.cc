#include "analyzer/model/process_builder.h"

#include <algorithm>
#include <map>

#include "absl/strings/str_format.h"
#include "analyzer/model/references.h"
#include "proto/names/names.h"

namespace graphtap::model {
namespace {

// One span for each run of consecutive numbers.
void MergeSpans(std::vector<ReplaySpan>* spans) {
  std::sort(spans->begin(), spans->end(),
            [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<ReplaySpan> merged;
  for (const auto& span : *spans) {
    if (merged.empty() || span.first > merged.back().last + 1) {
      merged.push_back(span);
      continue;
    }
    auto& last = merged.back();
    last.last = std::max(last.last, span.last);
    last.first_ns = std::min(last.first_ns, span.first_ns);
    last.last_ns = std::max(last.last_ns, span.last_ns);
  }
  spans->swap(merged);
}

// No graph is nested so deeply that its paths are longer; a damaged file may say so.
constexpr std::size_t kMostPathBytes = 4096;

// "17", "20.body1/4": positions from the outermost level inwards; "?" for a lost parent.
void SetPaths(std::vector<Node>* nodes) {
  std::map<std::uint32_t, const Node*> by_index;
  for (auto& node : *nodes) {
    const auto& record = node.record;
    if (record.has_parent()) {
      const auto parent = by_index.find(record.parent());
      const bool known = parent != by_index.end() && parent->second->path.size() < kMostPathBytes;
      node.path = known ? parent->second->path : "?";
      if (record.has_body()) node.path += absl::StrFormat(".body%u", record.body());
      node.path += '/';
    }
    node.path += absl::StrFormat("%u", record.position());
    by_index.emplace(record.index(), &node);
  }
}

// What a node is called in the keys of observations; "" if it is of a kind that has none.
std::string LabelOf(const Node& node) {
  constexpr std::uint32_t kKernel = 0, kMemcpy = 1, kMemset = 2;  // CUgraphNodeType
  switch (node.record.parameters().kind()) {
    case kKernel:
      return node.function == nullptr ? "?" : node.function->short_name;
    case kMemcpy:
      return "memcpy";
    case kMemset:
      return "memset";
    default:
      return "";
  }
}

void NameNodes(std::vector<Node>* nodes) {
  names::NodeNamer namer;
  for (auto& node : *nodes) {
    const std::string label = LabelOf(node);
    if (label.empty()) continue;
    auto name = namer.Next(node.scope, label);
    node.name = std::move(name.text);
    node.invocation = name.invocation;
  }
}

}  // namespace

void ProcessBuilder::Add(Entry&& entry, const reader::Place& place) {
  NoteReferences(entry);
  if (AddObserved(&entry, place)) return;
  switch (entry.body_case()) {
    case Entry::kEnd:
      process_->end = std::move(*entry.mutable_end());
      break;
    case Entry::kCapture: {
      const std::uint32_t number = entry.capture().number();
      process_->captures[number].record = std::move(*entry.mutable_capture());
      break;
    }
    case Entry::kUpdate:
      AddUpdate(std::move(*entry.mutable_update()));
      break;
    case Entry::kReplay:
      AddReplay(std::move(*entry.mutable_replay()));
      break;
    case Entry::kReplayRange:
      AddReplayRange(entry.replay_range());
      break;
    case Entry::kLoss:
      process_->losses[entry.loss().cause()] = entry.loss().count();
      break;
    case Entry::kMessage:
      process_->messages.push_back(std::move(*entry.mutable_message()));
      break;
    case Entry::kAllocatorEvent:
      allocator_.Add(entry.allocator_event());
      break;
    case Entry::kCompiledRegion:
      compile_ids_[entry.compiled_region().capture()] = entry.compiled_region().compile_id();
      break;
    case Entry::kCompiledFile:
      compiled_files_.push_back(std::move(*entry.mutable_compiled_file()));
      break;
    case Entry::kParameterPointer:
      process_->parameters.push_back(std::move(*entry.mutable_parameter_pointer()));
      break;
    case Entry::kAllocatorState:
      allocator_.Add(entry.allocator_state());
      points_.Add(entry.allocator_state());
      break;
    case Entry::kDeviceMemory:
      points_.Add(entry.device_memory());
      break;
    case Entry::kPoint:
      points_.Add(std::move(*entry.mutable_point()));
      break;
    default:
      AddDefinition(std::move(entry));
  }
}

void ProcessBuilder::AddDefinition(Entry&& entry) {
  switch (entry.body_case()) {
    case Entry::kRun:
      process_->run = std::move(*entry.mutable_run());
      process_->run_lost = false;
      break;
    case Entry::kString:
      process_->strings[entry.string().id()] = std::move(*entry.mutable_string()->mutable_text());
      break;
    case Entry::kFunction:
      process_->functions[entry.function().id()].record = std::move(*entry.mutable_function());
      break;
    case Entry::kStack:
      process_->stacks[entry.stack().id()].record = std::move(*entry.mutable_stack());
      break;
    case Entry::kGraph: {
      auto& graph = process_->graphs[entry.graph().id()];
      graph.record = std::move(*entry.mutable_graph());
      graph.lost = false;
      break;
    }
    case Entry::kNode: {
      const auto [graph, first] = process_->graphs.try_emplace(entry.node().graph());
      if (first) graph->second.lost = true;
      graph->second.nodes.emplace_back().record = std::move(*entry.mutable_node());
      break;
    }
    case Entry::kOp: {
      const auto [graph, first] = process_->graphs.try_emplace(entry.op().graph());
      if (first) graph->second.lost = true;
      graph->second.ops[entry.op().index()].record = std::move(*entry.mutable_op());
      break;
    }
    case Entry::kExecutable: {
      auto& executable = ExecutableAt(entry.executable().number());
      executable.record = std::move(*entry.mutable_executable());
      executable.lost = false;
      break;
    }
    case Entry::kThread:
      process_->threads[entry.thread().id()] = std::move(*entry.mutable_thread());
      break;
    case Entry::kStream:
      process_->streams[entry.stream().id()] = std::move(*entry.mutable_stream());
      break;
    default:
      break;  // the reader passes on nothing else
  }
}

void ProcessBuilder::AddUpdate(graphtap::Update&& update) {
  if (!update.has_executable()) {
    process_->failed_instantiations.push_back(std::move(update));
    return;
  }
  ExecutableAt(update.executable()).updates.push_back(std::move(update));
}

void ProcessBuilder::AddReplay(graphtap::Replay&& replay) {
  auto& executable = ExecutableAt(replay.executable());
  if (!replay.has_number()) {
    executable.failures.push_back(std::move(replay));
    return;
  }
  executable.replays.push_back(
      {replay.number(), replay.number(), replay.time_ns(), replay.time_ns()});
  if (replay.has_stream()) executable.streams.push_back(replay.stream());
  if (replay.sampled() || replay.has_lost()) executable.due.push_back(std::move(replay));
}

void ProcessBuilder::AddReplayRange(const graphtap::ReplayRange& range) {
  auto& executable = ExecutableAt(range.executable());
  executable.replays.push_back({range.first(), range.last(), range.first_ns(), range.last_ns()});
  executable.streams.insert(executable.streams.end(), range.streams().begin(),
                            range.streams().end());
}

Executable& ProcessBuilder::ExecutableAt(std::uint32_t number) {
  const auto [executable, first] = process_->executables.try_emplace(number);
  if (first) executable->second.lost = true;
  return executable->second;
}

void ProcessBuilder::NoteReferences(const Entry& entry) {
  NeededIds missing;
  VisitReferences(entry, [&](Reference kind, std::uint32_t id) {
    if (!IsDefined(*process_, kind, id)) missing.emplace_back(kind, id);
  });
  if (!missing.empty()) unresolved_.push_back(std::move(missing));
  if (entry.update().has_executable()) needed_executables_.push_back(entry.update().executable());
  if (entry.has_replay()) needed_executables_.push_back(entry.replay().executable());
  if (entry.has_replay_range()) {
    needed_executables_.push_back(entry.replay_range().executable());
  }
  if (entry.has_site()) needed_executables_.push_back(entry.site().executable());
  if (entry.has_shadow()) needed_executables_.push_back(entry.shadow().executable());
  if (entry.has_refusal()) needed_executables_.push_back(entry.refusal().executable());
}

void ProcessBuilder::CountOrphans() {
  for (const auto& needed : unresolved_) {
    process_->orphans += std::any_of(needed.begin(), needed.end(), [&](const auto& reference) {
      return !IsDefined(*process_, reference.first, reference.second);
    });
  }
  for (const auto number : needed_executables_) {
    process_->orphans += process_->executables.at(number).lost;
  }
}

void ProcessBuilder::ResolveFunctions() {
  for (auto& [id, function] : process_->functions) {
    function.mangled = process_->StringAt(function.record.name());
    function.demangled = names::Demangle(function.mangled);
    const bool is_mangled = function.demangled != function.mangled;
    function.short_name = is_mangled ? names::ShortName(function.demangled) : function.mangled;
  }
}

// `record`: has a scope.
template <typename Record>
std::string ProcessBuilder::InScope(const Record& record, const std::string& name) const {
  return names::InScope(record.has_scope() ? process_->StringAt(record.scope()) : std::string(),
                        name);
}

void ProcessBuilder::ResolveStacks() {
  for (auto& [id, stack] : process_->stacks) {
    for (const auto& frame : stack.record.frames()) {
      stack.frames.push_back(
          {process_->StringAt(frame.file()), process_->StringAt(frame.function()), frame.line()});
    }
    stack.region = RegionOf(stack.frames);
    if (!stack.region || stack.region->in_function) continue;
    const auto file = process_->compiled_files.find(stack.region->name);
    if (file == process_->compiled_files.end() || !file->second.function) continue;
    stack.region->function = &*file->second.function;
  }
}

// `record`: may have a stack.
template <typename Record>
const Stack* ProcessBuilder::StackOf(const Record& record) const {
  const auto found = process_->stacks.find(record.stack());
  return record.has_stack() && found != process_->stacks.end() ? &found->second : nullptr;
}

void ProcessBuilder::ResolveOp(Op* op) {
  op->label = process_->StringAt(op->record.name());
  op->name = InScope(op->record, op->label);
  const auto& gradient = op->record.gradient();
  if (!gradient.names().empty()) {
    op->gradient_name = InScope(gradient, process_->StringAt(gradient.names(0)));
    op->gradient_invocation = gradient.invocation();
  }
  op->stack = StackOf(op->record);
}

void ProcessBuilder::ResolveGraph(Graph* graph) {
  // Repeated definitions: the last copy of each node is kept.
  std::stable_sort(graph->nodes.begin(), graph->nodes.end(), [](const Node& a, const Node& b) {
    return a.record.index() < b.record.index();
  });
  const auto same = [](const Node& a, const Node& b) {
    return a.record.index() == b.record.index();
  };
  graph->nodes.erase(graph->nodes.begin(),
                     std::unique(graph->nodes.rbegin(), graph->nodes.rend(), same).base());
  graph->name = graph->lost
                    ? "g?"
                    : absl::StrFormat("g%u.v%u", graph->record.number(), graph->record.version());
  if (graph->record.has_key()) graph->key = process_->StringAt(graph->record.key());
  SetPaths(&graph->nodes);
  for (auto& [index, op] : graph->ops) ResolveOp(&op);
  NameGradients(graph);
  for (auto& node : graph->nodes) {
    if (node.record.has_scope()) node.scope = process_->StringAt(node.record.scope());
    if (node.record.has_inner_op()) node.inner_op = process_->StringAt(node.record.inner_op());
    const auto op = graph->ops.find(node.record.op());
    if (node.record.has_op() && op != graph->ops.end()) node.op = &op->second;
    node.stack = StackOf(node.record);
    if (node.stack == nullptr && node.op != nullptr) node.stack = node.op->stack;
    node.compile_id = CompileIdOf(*graph, node);
    const auto& parameters = node.record.parameters();
    if (!parameters.has_kernel() || !parameters.kernel().has_function()) continue;
    const auto found = process_->functions.find(parameters.kernel().function());
    if (found != process_->functions.end()) node.function = &found->second;
  }
  NameNodes(&graph->nodes);
}

void ProcessBuilder::ResolveExecutable(Executable* executable) {
  const auto graph_at = [&](std::uint32_t id) -> const Graph* {
    const auto found = process_->graphs.find(id);
    return found == process_->graphs.end() ? nullptr : &found->second;
  };
  if (executable->record.has_key()) {
    executable->key = process_->StringAt(executable->record.key());
  }
  if (executable->record.has_graph()) executable->graph = graph_at(executable->record.graph());
  executable->current = executable->graph;
  for (const auto& update : executable->updates) {
    if (update.has_graph() && update.result() == 0) executable->current = graph_at(update.graph());
  }
  MergeSpans(&executable->replays);
  auto& streams = executable->streams;
  std::sort(streams.begin(), streams.end());
  streams.erase(std::unique(streams.begin(), streams.end()), streams.end());
}

void ProcessBuilder::SetEnding() {
  auto& end = process_->end;
  if (end && end->how() == End::HOW_UNKNOWN) end.reset();  // an exec that failed: it went on
  if (end) process_->ending = EndingOf(*end);
}

std::unique_ptr<Process> ProcessBuilder::Finish() {
  CountOrphans();
  ResolveFunctions();
  ResolveCompiledFiles();
  ResolveStacks();
  for (auto& [number, capture] : process_->captures) {
    if (capture.record.has_key()) capture.key = process_->StringAt(capture.record.key());
    const auto id = compile_ids_.find(number);
    if (id != compile_ids_.end()) capture.compile_id = process_->StringAt(id->second);
  }
  for (auto& [id, graph] : process_->graphs) ResolveGraph(&graph);
  for (auto& [number, executable] : process_->executables) {
    executable.number = number;
    executable.name = absl::StrFormat("x%u", number);
    ResolveExecutable(&executable);
  }
  process_->allocator = allocator_.Finish();
  process_->points = points_.Finish();
  process_->orphans += points_.orphans();
  ResolveObserved();
  SetEnding();
  return std::move(process_);
}

}  // namespace graphtap::model
