#include <map>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/graphs_report.h"
#include "analyzer/report/node_text.h"

namespace graphtap::report {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c == '\n' ? std::string("\\n") : std::string(1, c);
  }
  return quoted + '"';
}

std::string Label(const model::Node& node) {
  std::string label = node.path + ' ' + NodeKindName(node.record.parameters().kind());
  const std::string action = ActionText(node);
  if (!action.empty()) label += '\n' + action;
  if (!node.scope.empty()) label += '\n' + node.scope;
  return label;
}

// Levels by the path of the node around them and its body: "" is the outermost.
using Levels = std::map<std::string, std::vector<const model::Node*>>;

std::string LevelOf(const model::Node& node) {
  const auto slash = node.path.rfind('/');
  return slash == std::string::npos ? "" : node.path.substr(0, slash);
}

// The nodes of one level, and as clusters those of the levels inside it. They are taken out: in a
// damaged file several nodes have one path, and each would show all that is inside, again and
// again.
void AppendLevel(const std::string& level, Levels* levels, std::string* text) {
  for (const auto* node : std::exchange((*levels)[level], {})) {
    absl::StrAppendFormat(text, "  %s [label=%s];\n", Quoted(node->path), Quoted(Label(*node)));
    for (auto inner = levels->lower_bound(node->path); inner != levels->end(); ++inner) {
      const auto& name = inner->first;
      if (!name.starts_with(node->path)) break;
      const auto rest = name.substr(node->path.size());
      const bool is_body = rest.starts_with(".body") && rest.find('/') == std::string::npos;
      if ((!rest.empty() && !is_body) || inner->second.empty()) continue;
      absl::StrAppendFormat(text, "  subgraph %s {\n  label=%s;\n", Quoted("cluster " + name),
                            Quoted("inside " + name));
      AppendLevel(name, levels, text);
      *text += "  }\n";
    }
  }
}

std::string Digraph(const model::SelectedGraph& selected) {
  const auto& graph = *selected.graph;
  Levels levels;
  for (const auto& node : graph.nodes) levels[LevelOf(node)].push_back(&node);
  std::string text = absl::StrFormat(
      "digraph %s {\n  node [shape=box];\n",
      Quoted(absl::StrFormat("%s %s %s", selected.process->name, graph.name, graph.key)));
  AppendLevel("", &levels, &text);
  for (const auto& node : graph.nodes) {
    for (const auto& dependency : node.record.dependencies()) {
      absl::StrAppendFormat(&text, "  %s -> %s%s;\n", Quoted(SourcePath(node, dependency)),
                            Quoted(node.path), dependency.type() == 0 ? "" : " [style=dashed]");
    }
  }
  return text + "}\n";
}

}  // namespace

std::string GraphsDot(const Graphs& graphs, const GraphsOptions& options) {
  std::string text;
  std::size_t shown = 0;
  for (const auto& selected : graphs) {
    if (options.limit > 0 && shown++ == options.limit) break;
    text += Digraph(selected);
  }
  return text;
}

}  // namespace graphtap::report
