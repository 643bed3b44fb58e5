// What is known of operators and nodes of a graph only where other records are: of the parameters
// that gradients flow into, of the captures that graphs come from.
#include <optional>
#include <string_view>

#include "analyzer/model/parameters.h"
#include "analyzer/model/process_builder.h"
#include "proto/names/names.h"

namespace graphtap::model {

// Those that are added to parameters whose names were not known when they were captured.
void ProcessBuilder::NameGradients(Graph* graph) {
  std::optional<Parameters> parameters;
  std::map<std::string, std::uint32_t> seen;
  for (auto& [index, op] : graph->ops) {
    const auto& gradient = op.record.gradient();
    if (!gradient.has_parameter() || gradient.names_size() != 1) continue;
    if (!parameters) parameters.emplace(*process_, *graph);
    const std::string name = parameters->At(gradient.parameter());
    if (name.empty()) continue;
    const std::string scope = gradient.has_scope() ? process_->StringAt(gradient.scope()) : "";
    op.gradient_name = names::InScope(scope, name);
    op.gradient_invocation = seen[op.gradient_name]++;
  }
}

// One file may hold what was compiled several times, or of several functions.
void ProcessBuilder::ResolveCompiledFiles() {
  for (const auto& record : compiled_files_) {
    const Frame function{process_->StringAt(record.file()), process_->StringAt(record.function()),
                         record.line()};
    const std::string id = process_->StringAt(record.compile_id());
    const auto [found, first] =
        process_->compiled_files.try_emplace(process_->StringAt(record.name()));
    CompiledFile& file = found->second;
    if (first) {
      file = {function, id};
      continue;
    }
    if (file.compile_id != id) file.compile_id.clear();
    if (file.function && file.function->Text() != function.Text()) file.function.reset();
  }
}

// A range around the node if the region began in the capture, else what its file was compiled as,
// or where the capture began. The backward pass runs in none but a file.
std::string ProcessBuilder::CompileIdOf(const Graph& graph, const Node& node) const {
  constexpr std::string_view kRange = "Torch-Compiled Region: ";
  if (node.stack == nullptr || !node.stack->region) return "";
  // An operator's own range begins before it.
  for (const Op* op = node.op; op != nullptr;) {
    if (op->label.starts_with(kRange)) return op->label.substr(kRange.size());
    const auto around = graph.ops.find(op->record.parent());
    const bool before = op->record.has_parent() && op->record.parent() < op->record.index();
    op = before && around != graph.ops.end() ? &around->second : nullptr;
  }
  const auto& region = *node.stack->region;
  const auto file = process_->compiled_files.find(region.name);
  if (file != process_->compiled_files.end() && !file->second.compile_id.empty()) {
    return file->second.compile_id;
  }
  const auto capture = process_->captures.find(graph.record.capture());
  const bool known = graph.record.has_capture() && capture != process_->captures.end();
  return known && region.in_function ? capture->second.compile_id : "";
}

}  // namespace graphtap::model
