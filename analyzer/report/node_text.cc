#include "analyzer/report/node_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "absl/strings/str_format.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

constexpr std::size_t kShownBytes = 32;  // of a parameter that is a struct

// "16", "8x4", "8x4x2": dimensions of 1 at the end say nothing.
std::string Dimensions(std::uint32_t x, std::uint32_t y, std::uint32_t z) {
  if (z > 1) return absl::StrFormat("%ux%ux%u", x, y, z);
  return y > 1 ? absl::StrFormat("%ux%u", x, y) : absl::StrFormat("%u", x);
}

std::string AttributeText(const Attribute& attribute) {
  std::string text = AttributeName(attribute.id());
  if (attribute.has_value()) absl::StrAppendFormat(&text, "=%d", attribute.value());
  for (int i = 0; i < attribute.dimensions_size(); ++i) {
    absl::StrAppendFormat(&text, "%s%u", i == 0 ? "=" : "x", attribute.dimensions(i));
  }
  return text;
}

std::string KernelText(const model::Node& node) {
  const auto& kernel = node.record.parameters().kernel();
  std::string text =
      absl::StrFormat("%s <<<%s, %s", node.function == nullptr ? "?" : node.function->short_name,
                      GridText(kernel), BlockText(kernel));
  if (kernel.shared_bytes() > 0) {
    absl::StrAppendFormat(&text, ", %s shared", Bytes(kernel.shared_bytes()));
  }
  text += ">>>";
  for (const auto& attribute : kernel.attributes()) text += ' ' + AttributeText(attribute);
  return text;
}

std::string MemcpyText(const MemcpyNode& memcpy) {
  std::string text = Bytes(memcpy.width_bytes());
  if (memcpy.height() > 1) absl::StrAppendFormat(&text, " x %u", memcpy.height());
  if (memcpy.depth() > 1) absl::StrAppendFormat(&text, " x %u", memcpy.depth());
  return absl::StrFormat("%s %s to %s", text, MemoryTypeName(memcpy.source_memory()),
                         MemoryTypeName(memcpy.destination_memory()));
}

std::string MemsetText(const MemsetNode& memset) {
  std::string text = absl::StrFormat("%s x %u B", Count(memset.width()), memset.element_bytes());
  if (memset.height() > 1) absl::StrAppendFormat(&text, " x %u", memset.height());
  constexpr std::uint32_t kMostBytes = 8;  // of an element, also where a file says otherwise
  const auto digits = static_cast<int>(2 * std::min(memset.element_bytes(), kMostBytes));
  return absl::StrFormat("%s to 0x%0*x", text, digits, memset.value());
}

template <typename T>
T Load(const std::string& bytes) {
  T value = {};
  std::memcpy(&value, bytes.data(), std::min(sizeof value, bytes.size()));
  return value;
}

// As a floating-point number, if a person would write it as one.
std::optional<double> AsFloat(const std::string& bytes) {
  const double value =
      bytes.size() == 4 ? static_cast<double>(Load<float>(bytes)) : Load<double>(bytes);
  if (!std::isfinite(value)) return std::nullopt;
  const double magnitude = std::fabs(value);
  return magnitude > 1e-12 && magnitude < 1e12 ? std::optional(value) : std::nullopt;
}

std::int64_t AsInteger(const std::string& bytes) {
  switch (bytes.size()) {
    case 1:
      return Load<std::int8_t>(bytes);
    case 2:
      return Load<std::int16_t>(bytes);
    case 4:
      return Load<std::int32_t>(bytes);
    default:
      return Load<std::int64_t>(bytes);
  }
}

}  // namespace

std::string GridText(const KernelNode& kernel) {
  return Dimensions(kernel.grid_x(), kernel.grid_y(), kernel.grid_z());
}

std::string BlockText(const KernelNode& kernel) {
  return Dimensions(kernel.block_x(), kernel.block_y(), kernel.block_z());
}

std::string ActionText(const model::Node& node) {
  const auto& parameters = node.record.parameters();
  if (parameters.has_unread_error()) {
    return "not readable: " + ResultName(parameters.unread_error());
  }
  if (parameters.has_kernel()) return KernelText(node);
  if (parameters.has_memcpy()) return MemcpyText(parameters.memcpy());
  if (parameters.has_memset()) return MemsetText(parameters.memset());
  if (parameters.has_conditional()) {
    return absl::StrFormat("%s, %s", ConditionalTypeName(parameters.conditional().type()),
                           Count(parameters.conditional().bodies(), "body", "bodies"));
  }
  if (parameters.allocation().has_bytes()) return Bytes(parameters.allocation().bytes());
  if (parameters.has_host()) {
    return absl::StrFormat("function at 0x%x", parameters.host().function_address());
  }
  return "";
}

std::string SourcePath(const model::Node& node, const Dependency& dependency) {
  const auto slash = node.path.rfind('/');
  const auto level = slash == std::string::npos ? "" : node.path.substr(0, slash + 1);
  return absl::StrFormat("%s%u", level, dependency.from());
}

std::string DependenciesText(const model::Node& node) {
  std::string text;
  for (const auto& dependency : node.record.dependencies()) {
    absl::StrAppendFormat(&text, "%s%s", text.empty() ? "" : ", ", SourcePath(node, dependency));
    if (dependency.type() != 0) {
      absl::StrAppendFormat(&text, " (%s)", DependencyTypeName(dependency.type()));
    }
  }
  return text;
}

std::string OperandText(const Operand& operand) {
  std::string text = absl::StrFormat("0x%x  %s", operand.address(), GradeName(operand.grade()));
  if (operand.has_extent()) {
    absl::StrAppendFormat(&text, ", %s%s", Bytes(operand.extent()),
                          operand.exact() ? "" : " (cut)");
  }
  return operand.host() ? text + ", host memory" : text;
}

std::string ScalarText(const Scalar& scalar) {
  const std::string& value = scalar.value().empty() ? scalar.packed() : scalar.value();
  const bool number =
      value.size() == 1 || value.size() == 2 || value.size() == 4 || value.size() == 8;
  if (scalar.value().empty() && (!number || scalar.has_size())) {
    std::string hex = Hex(scalar.packed().substr(0, kShownBytes));
    if (scalar.packed().size() > kShownBytes) hex += "…";
    const auto size = scalar.has_size() ? scalar.size() : scalar.packed().size();
    return absl::StrFormat("%s: %s", Count(size, "byte"), hex);
  }
  if (!number) return Hex(value);
  const auto bits = Load<std::uint64_t>(value);
  std::string text =
      absl::StrFormat("0x%0*x = %d", static_cast<int>(2 * value.size()), bits, AsInteger(value));
  if (value.size() < 4) return text;
  if (const auto real = AsFloat(value)) {
    absl::StrAppendFormat(&text, " = %g%s", *real, value.size() == 4 ? "f" : "");
  }
  return text;
}

std::string GradientKey(const model::Graph& graph, const Operand& operand) {
  const auto found = operand.has_op() ? graph.ops.find(operand.op()) : graph.ops.end();
  return found == graph.ops.end() ? std::string() : found->second.gradient_name;
}

}  // namespace graphtap::report
