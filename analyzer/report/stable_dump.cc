#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "analyzer/model/payload_reader.h"
#include "analyzer/model/references.h"
#include "analyzer/report/dump_text.h"
#include "analyzer/report/entry_printer.h"

namespace graphtap::report {
namespace {

using google::protobuf::FieldDescriptor;

void KeepStable(google::protobuf::Message* message) {
  const auto* reflection = message->GetReflection();
  reflection->MutableUnknownFields(message)->Clear();
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(*message, &fields);
  for (const auto* field : fields) {
    if (!field->options().GetExtension(stable)) {
      reflection->ClearField(message, field);
    } else if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) {
      continue;
    } else if (!field->is_repeated()) {
      KeepStable(reflection->MutableMessage(message, field));
    } else {
      for (int i = 0; i < reflection->FieldSize(*message, field); ++i) {
        KeepStable(reflection->MutableRepeatedMessage(message, field, i));
      }
    }
  }
}

// Whether the record inside the entry has anything to say.
bool IsEmpty(const Entry& entry) {
  std::vector<const FieldDescriptor*> fields;
  entry.GetReflection()->ListFields(entry, &fields);
  if (fields.empty()) return true;
  return entry.GetReflection()->GetMessage(entry, fields.front()).ByteSizeLong() == 0;
}

// Graph keys by name, then by number: graph#2 stands before graph#10, graph#12/x1 with graph#12.
struct KeyOrder {
  std::string name;
  std::uint64_t ordinal = 0;
  auto operator<=>(const KeyOrder&) const = default;
};

KeyOrder OrderOf(const std::string& key) {
  const auto hash = key.rfind('#');
  if (hash == std::string::npos) return {.name = key};
  KeyOrder order = {.name = key.substr(0, hash)};
  std::from_chars(key.data() + hash + 1, key.data() + key.size(), order.ordinal);
  return order;
}

// Collects the records of one process in the order of the text.
class StableText {
 public:
  StableText(const model::Process& process, std::size_t limit)
      : process_(process),
        limit_(limit),
        payloads_(model::PayloadReader::Open(process)),
        printer_([&](Reference kind, std::uint32_t id) { return Name(kind, id); }, Words::kNone) {}

  std::string Run() {
    text_ = absl::StrFormat("# process %s\n", process_.key.Text());
    if (!process_.run_lost) Print(&Entry::mutable_run, process_.run);
    PrintFunctions();
    PrintStacks();
    PrintStreams();
    PrintGraphs();
    for (const auto& point : process_.points) Print(&Entry::mutable_point, point.record);
    for (const auto& [cause, count] : process_.losses) {
      LossCount loss;
      loss.set_cause(cause);
      loss.set_count(count);
      Print(&Entry::mutable_loss, loss);
    }
    for (const auto& [index, rule] : process_.rules) {
      Print(&Entry::mutable_rule_counts, rule.counts);
    }
    for (const auto& failure : process_.check_failures) {
      Print(&Entry::mutable_check_failure, failure.record);
    }
    for (const auto& message : process_.messages) Print(&Entry::mutable_message, message);
    if (process_.end) Print(&Entry::mutable_end, *process_.end);
    return std::move(text_);
  }

 private:
  struct Group {
    std::vector<const model::Capture*> captures;
    std::vector<const model::Graph*> graphs;
    std::vector<const model::Executable*> executables;
    std::vector<const graphtap::Update*> failed_instantiations;
  };

  std::string Name(Reference kind, std::uint32_t id) const {
    if (kind == REFERENCE_FUNCTION && process_.functions.contains(id)) {
      return Quoted(process_.functions.at(id).mangled);
    }
    return Quoted(model::Describe(process_, kind, id));
  }

  template <typename Record>
  void Print(Record* (Entry::*member)(), const Record& record) {
    if (limit_ > 0 && printed_ == limit_) return;
    Entry entry;
    *(entry.*member)() = record;
    KeepStable(&entry);
    if (IsEmpty(entry)) return;
    text_ += printer_.Text(entry);
    ++printed_;
  }

  void PrintFunctions() {
    std::map<std::string, const model::Function*> by_name;
    for (const auto& [id, function] : process_.functions) by_name[function.mangled] = &function;
    for (const auto& [name, function] : by_name) Print(&Entry::mutable_function, function->record);
  }

  void PrintStacks() {
    std::map<std::string, const model::Stack*> by_frames;
    for (const auto& [id, stack] : process_.stacks) {
      std::string text;
      for (const auto& frame : stack.frames) text += frame.Text() + '\n';
      by_frames[text] = &stack;
    }
    for (const auto& [text, stack] : by_frames) Print(&Entry::mutable_stack, stack->record);
  }

  void PrintStreams() {
    std::vector<const graphtap::Stream*> streams;
    for (const auto& [id, stream] : process_.streams) streams.push_back(&stream);
    std::stable_sort(streams.begin(), streams.end(),
                     [](const auto* a, const auto* b) { return a->kind() < b->kind(); });
    for (const auto* stream : streams) Print(&Entry::mutable_stream, *stream);
  }

  void PrintGraphs() {
    std::map<KeyOrder, Group> groups;
    for (const auto& [number, capture] : process_.captures) {
      groups[OrderOf(capture.key)].captures.push_back(&capture);
    }
    for (const auto& [id, graph] : process_.graphs) {
      groups[OrderOf(graph.key)].graphs.push_back(&graph);
    }
    for (const auto& [number, executable] : process_.executables) {
      groups[OrderOf(executable.key)].executables.push_back(&executable);
    }
    for (const auto& update : process_.failed_instantiations) {
      const auto found = process_.graphs.find(update.graph());
      const auto key = found == process_.graphs.end() ? "?" : found->second.key;
      groups[OrderOf(key)].failed_instantiations.push_back(&update);
    }
    for (auto& [key, group] : groups) PrintGroup(&group);
  }

  void PrintGroup(Group* group) {
    for (const auto* capture : group->captures) Print(&Entry::mutable_capture, capture->record);
    std::sort(group->graphs.begin(), group->graphs.end(), [](const auto* a, const auto* b) {
      return std::tuple(a->record.number(), a->record.version()) <
             std::tuple(b->record.number(), b->record.version());
    });
    for (const auto* graph : group->graphs) {
      if (!graph->lost) Print(&Entry::mutable_graph, graph->record);
      for (const auto& node : graph->nodes) Print(&Entry::mutable_node, node.record);
      for (const auto& [index, op] : graph->ops) Print(&Entry::mutable_op, op.record);
    }
    for (const auto* executable : group->executables) PrintExecutable(*executable);
    for (const auto* update : group->failed_instantiations) Print(&Entry::mutable_update, *update);
  }

  void PrintExecutable(const model::Executable& executable) {
    if (!executable.lost) Print(&Entry::mutable_executable, executable.record);
    for (const auto& update : executable.updates) Print(&Entry::mutable_update, update);
    for (const auto& failure : executable.failures) Print(&Entry::mutable_replay, failure);
    for (const auto& span : executable.replays) {
      graphtap::ReplayRange range;
      range.set_executable(executable.number);
      range.set_first(span.first);
      range.set_last(span.last);
      Print(&Entry::mutable_replay_range, range);
    }
    PrintObserved(executable);
  }

  // Extents that are cut depend on what happens to lie behind them, and so does all that is made
  // of them.
  void PrintObserved(const model::Executable& executable) {
    for (const auto* site : InOrder(executable.sites)) {
      graphtap::Site record = site->record;
      if (!site->exact()) record.clear_copy_bytes();
      Print(&Entry::mutable_site, record);
    }
    for (const auto& shadow : executable.shadows) Print(&Entry::mutable_shadow, shadow);
    for (const auto& refusal : executable.refusals) Print(&Entry::mutable_refusal, refusal.record);
    for (const auto& replay : executable.due) Print(&Entry::mutable_replay, replay);
    for (const auto& observation : executable.observations) PrintObservation(observation);
  }

  static std::vector<const model::Site*> InOrder(std::vector<const model::Site*> sites) {
    const auto order = [](const model::Site* site) {
      const auto& record = site->record;
      return std::tuple(record.node(), record.role(), record.parameter(), record.offset());
    };
    std::stable_sort(sites.begin(), sites.end(),
                     [&](const auto* a, const auto* b) { return order(a) < order(b); });
    return sites;
  }

  void PrintObservation(const model::Observation& observation) {
    graphtap::Observation record;
    record.set_site(observation.site->record.id());
    record.set_replay(observation.replay);
    if (observation.site->exact()) {
      if (observation.hash) record.set_hash(*observation.hash);
      if (observation.statistics) *record.mutable_statistics() = *observation.statistics;
      if (observation.payload) record.set_payload_bytes(observation.payload_bytes);
    }
    Print(&Entry::mutable_observation, record);
    // The hash says it already, if there is one.
    if (!observation.hash && observation.site->exact()) PrintPieces(observation);
  }

  void PrintPieces(const model::Observation& observation) {
    if (!observation.payload || !payloads_.ok()) return;
    for (const auto& piece : process_.payloads.Of(*observation.payload)) {
      PayloadPiece record;
      record.set_offset(piece.offset);
      auto& bytes = *record.mutable_bytes();
      bytes.resize(piece.bytes);
      const auto to = std::as_writable_bytes(std::span(bytes));
      if (payloads_->Read(*observation.payload, piece.offset, to)) {
        Print(&Entry::mutable_payload_piece, record);
      }
    }
  }

  const model::Process& process_;
  std::size_t limit_;
  std::size_t printed_ = 0;
  absl::StatusOr<model::PayloadReader> payloads_;
  EntryPrinter printer_;
  std::string text_;
};

}  // namespace

std::string StableDump(const model::Run& run, std::size_t limit) {
  std::vector<const model::Process*> processes;
  for (const auto& process : run.processes) processes.push_back(process.get());
  std::sort(processes.begin(), processes.end(), [](const auto* a, const auto* b) {
    return std::tie(a->key.rank, a->key.program, a->key.ordinal) <
           std::tie(b->key.rank, b->key.program, b->key.ordinal);
  });
  std::string text;
  for (const auto* process : processes) text += StableText(*process, limit).Run();
  return text;
}

}  // namespace graphtap::report
