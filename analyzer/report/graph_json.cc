#include "absl/strings/str_format.h"
#include "analyzer/model/graph_summary.h"
#include "analyzer/model/parameters.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/damage_report.h"
#include "analyzer/report/graphs_report.h"
#include "analyzer/report/node_text.h"
#include "analyzer/report/place_words.h"
#include "analyzer/report/process_json.h"
#include "analyzer/report/units.h"
#include "proto/dtype.h"

namespace graphtap::report {
namespace {

using Json = nlohmann::ordered_json;

Json BlockJson(const model::Process& process, const OperandBlock& block) {
  Json json;
  json["address"] = absl::StrFormat("0x%x", block.address());
  json["bytes"] = block.bytes();
  json["pool"] = {block.pool_first(), block.pool_second()};
  json["op"] = block.has_op() ? Json(process.StringAt(block.op())) : Json();
  return json;
}

void AddParameter(const model::Parameters& names, std::uint64_t address, Json* json) {
  const std::string name = names.At(address);
  if (!name.empty()) (*json)["parameter"] = name;
}

Json OperandJson(const model::SelectedGraph& selected, const model::Parameters& names,
                 const Operand& operand) {
  const model::Process& process = *selected.process;
  Json json;
  json["operand"] = model::OperandName(operand);
  if (operand.has_op()) json["gradient"] = GradientKey(*selected.graph, operand);
  json["address"] = absl::StrFormat("0x%x", operand.address());
  json["grade"] = GradeName(operand.grade());
  json["extent"] = operand.has_extent() ? Json(operand.extent()) : Json();
  json["exact"] = operand.exact();
  json["host"] = operand.host();
  if (operand.has_block()) json["block"] = BlockJson(process, operand.block());
  AddParameter(names, operand.address(), &json);
  return json;
}

Json ScalarJson(const Scalar& scalar) {
  const bool is_packed = scalar.value().empty();
  Json json;
  json["parameter"] = scalar.parameter();
  json["bytes"] = Hex(is_packed ? scalar.packed() : scalar.value());
  json["size"] =
      scalar.has_size() ? scalar.size() : (is_packed ? scalar.packed() : scalar.value()).size();
  return json;
}

Json KernelJson(const model::Node& node) {
  const auto& kernel = node.record.parameters().kernel();
  Json json;
  json["name"] = node.function == nullptr ? Json() : Json(node.function->short_name);
  json["demangled"] = node.function == nullptr ? Json() : Json(node.function->demangled);
  json["mangled"] = node.function == nullptr ? Json() : Json(node.function->mangled);
  json["grid"] = {kernel.grid_x(), kernel.grid_y(), kernel.grid_z()};
  json["block"] = {kernel.block_x(), kernel.block_y(), kernel.block_z()};
  json["shared_bytes"] = kernel.shared_bytes();
  json["attributes"] = Json::object();
  for (const auto& attribute : kernel.attributes()) {
    std::vector<std::uint32_t> dimensions(attribute.dimensions().begin(),
                                          attribute.dimensions().end());
    json["attributes"][AttributeName(attribute.id())] =
        attribute.has_value() ? Json(attribute.value()) : Json(dimensions);
  }
  json["scalars"] = Json::array();
  for (const auto& scalar : kernel.scalars()) json["scalars"].push_back(ScalarJson(scalar));
  return json;
}

const char* RoleWord(Operand::Role role) {
  if (role == Operand::ROLE_GRADIENT) return ".grad";
  return role == Operand::ROLE_OUTPUT ? ".out" : ".in";
}

Json TensorJson(const model::Parameters& names, const Tensor& tensor) {
  Json json;
  json["tensor"] = absl::StrFormat("%s%u", RoleWord(tensor.role()), tensor.index());
  json["dtype"] = DtypeName(DtypeOf(tensor.dtype()));
  json["shape"] = tensor.sizes();
  json["strides"] = tensor.strides();
  json["device"] = tensor.has_device() ? Json(tensor.device()) : Json();
  json["address"] = absl::StrFormat("0x%x", tensor.address());
  json["bytes"] = tensor.bytes();
  json["storage_address"] = absl::StrFormat("0x%x", tensor.storage_address());
  json["storage_bytes"] = tensor.storage_bytes();
  AddParameter(names, tensor.address(), &json);
  return json;
}

Json GradientJson(const model::Process& process, const model::Op& op) {
  Json json;
  json["key"] = op.gradient_name;
  json["invocation"] = op.gradient_invocation;
  json["of"] = Json::array();
  for (const std::uint32_t name : op.record.gradient().names()) {
    json["of"].push_back(process.StringAt(name));
  }
  return json;
}

void AddStack(const model::Stack* stack, Json* stacks) {
  if (stack == nullptr) return;
  Json& json = (*stacks)[std::to_string(stack->record.id())];
  if (!json.is_null()) return;
  json["cut"] = stack->record.cut();
  json["frames"] = Json::array();
  for (const auto& frame : stack->frames) json["frames"].push_back(FrameJson(&frame));
}

// The stacks of a graph's operators and nodes, by id.
Json StacksJson(const model::Graph& graph) {
  Json json = Json::object();
  for (const auto& [index, op] : graph.ops) AddStack(op.stack, &json);
  for (const auto& node : graph.nodes) AddStack(node.stack, &json);
  return json;
}

Json OpJson(const model::Process& process, const model::Parameters& names, const model::Op& op) {
  Json json;
  json["index"] = op.record.index();
  json["name"] = op.label;
  json["key"] = op.name;
  json["invocation"] = op.record.invocation();
  json["leaf"] = op.record.kind() == graphtap::Op::KIND_LEAF;
  json["inside"] = op.record.has_parent() ? Json(op.record.parent()) : Json();
  json["stack"] = op.record.has_stack() ? Json(op.record.stack()) : Json();
  json["place"] = PlaceJson(op.stack);
  json["tensors"] = Json::array();
  for (const auto& tensor : op.record.tensors()) {
    json["tensors"].push_back(TensorJson(names, tensor));
  }
  if (!op.gradient_name.empty()) json["gradient"] = GradientJson(process, op);
  return json;
}

Json NodeJson(const model::SelectedGraph& selected, const model::Parameters& names,
              const model::Node& node) {
  const auto& parameters = node.record.parameters();
  Json json;
  json["node"] = node.path;
  json["index"] = node.record.index();
  json["kind"] = NodeKindName(parameters.kind());
  json["what"] = ActionText(node);
  json["scope"] = node.scope;
  json["after"] = Json::array();
  for (const auto& dependency : node.record.dependencies()) {
    json["after"].push_back({{"node", SourcePath(node, dependency)},
                             {"type", DependencyTypeName(dependency.type())},
                             {"from_port", dependency.from_port()},
                             {"to_port", dependency.to_port()}});
  }
  json["op"] = node.op == nullptr ? Json() : Json(node.op->record.index());
  json["inner_op"] = node.inner_op;
  json["stack"] = node.stack == nullptr ? Json() : Json(node.stack->record.id());
  json["place"] = PlaceJson(node.stack);
  json["region"] = RegionJson(node);
  if (parameters.has_kernel()) json["kernel"] = KernelJson(node);
  json["operands"] = Json::array();
  for (const auto& operand : parameters.operands())
    json["operands"].push_back(OperandJson(selected, names, operand));
  return json;
}

Json ChangeJson(const model::UpdateGroup& group) {
  Json json;
  json["call"] = group.call;
  json["graph"] = group.graph == nullptr ? Json() : Json(group.graph->name);
  json["nodes"] = group.nodes;
  json["times"] = group.count;
  json["first_after_replay"] = group.first_after;
  json["last_after_replay"] = group.last_after;
  json["result"] = ResultName(group.result);
  json["update_result"] =
      group.update_result == 0 ? Json() : Json(UpdateResultName(group.update_result));
  json["destroyed"] = group.destroyed;
  return json;
}

Json ExecutablesJson(const model::SelectedGraph& selected, std::size_t limit) {
  Json json = Json::array();
  for (const auto* executable : selected.executables) {
    if (!Within(json.size(), limit)) break;
    Json row = ExecutableJson(*selected.process, *executable);
    row["changes"] = Json::array();
    for (const auto& group : model::GroupUpdates(*selected.process, *executable)) {
      row["changes"].push_back(ChangeJson(group));
    }
    json.push_back(std::move(row));
  }
  return json;
}

Json GraphJson(const model::SelectedGraph& selected, const GraphsOptions& options) {
  const auto summary = model::Summarize(*selected.graph);
  Json json = GraphCountsJson(*selected.graph);
  json["process"] = selected.process->name;
  json["scopes"] = Json::array();
  for (const auto& count : summary.scopes) {
    if (!Within(json["scopes"].size(), options.limit)) break;
    json["scopes"].push_back(
        {{"scope", count.scope}, {"nodes", count.nodes}, {"kernels", count.kernels}});
  }
  json["kernels"] = Json::array();
  for (const auto& count : summary.kernels) {
    if (!Within(json["kernels"].size(), options.limit)) break;
    json["kernels"].push_back({{"kernel", count.short_name},
                               {"nodes", count.nodes},
                               {"variants", count.variants},
                               {"shapes", count.shapes}});
  }
  json["operators"] = Json::array();
  for (const auto& count : summary.ops) {
    if (!Within(json["operators"].size(), options.limit)) break;
    json["operators"].push_back({{"operator", count.label},
                                 {"operators", count.ops},
                                 {"nodes", count.nodes},
                                 {"outputs", count.outputs},
                                 {"written", count.inputs}});
  }
  json["gradients"] = summary.gradients;
  json["regions"] = Json::array();
  for (const auto& count : summary.regions) {
    if (!Within(json["regions"].size(), options.limit)) break;
    const model::Region& region = *count.example->stack->region;
    json["regions"].push_back({{"region", region.name},
                               {"compile_id", CompileIdJson(*count.example)},
                               {"nodes", count.nodes},
                               {"function", FrameJson(region.function)},
                               {"caller", FrameJson(region.caller)}});
  }
  json["executables"] = ExecutablesJson(selected, options.limit);
  const std::size_t nodes = selected.graph->nodes.size();
  if (!options.nodes && nodes > kListedNodes) return json;
  const model::Parameters names(*selected.process, *selected.graph);
  json["node_list"] = Json::array();
  for (const auto& node : selected.graph->nodes) {
    json["node_list"].push_back(NodeJson(selected, names, node));
  }
  json["op_list"] = Json::array();
  for (const auto& [index, op] : selected.graph->ops) {
    json["op_list"].push_back(OpJson(*selected.process, names, op));
  }
  json["stacks"] = StacksJson(*selected.graph);
  return json;
}

}  // namespace

Json GraphsJson(const model::Run& run, const Graphs& graphs, const GraphsOptions& options) {
  Json json;
  json["run"] = run.path;
  json["run_id"] = run.run_id;
  json["processes"] = Json::array();
  for (const auto& process : run.processes) json["processes"].push_back(IdentityJson(*process));
  json["graphs_count"] = graphs.size();
  json["graphs"] = Json::array();
  for (const auto& selected : graphs) {
    if (!Within(json["graphs"].size(), options.limit)) break;
    json["graphs"].push_back(GraphJson(selected, options));
  }
  json["damage"] = DamageJson(run);
  return json;
}

}  // namespace graphtap::report
