// Graphs and their nodes.
#include "interpose/record/allocator_fields.h"
#include "interpose/record/encoder.h"
#include "interpose/record/entry_writer.h"

namespace graphtap::record {
namespace {

void AddAttribute(Writer& to, FieldNumber field, const Attribute& attribute) {
  Builder<AttributeField> out(to, field);
  out.add_uint32(AttributeField::kId, attribute.id);
  if (attribute.value) out.add_sint64(AttributeField::kValue, *attribute.value);
  AddIds(out, AttributeField::kDimensions, attribute.dimensions);
}

void AddScalar(Writer& to, FieldNumber field, const Scalar& scalar) {
  Builder<ScalarField> out(to, field);
  out.add_uint32(ScalarField::kParameter, scalar.parameter);
  out.add_bytes(scalar.raw ? ScalarField::kPacked : ScalarField::kValue,
                reinterpret_cast<const char*>(scalar.bytes.data()), scalar.bytes.size());
  if (scalar.size > scalar.bytes.size()) out.add_uint32(ScalarField::kSize, scalar.size);
}

void AddKernel(Writer& to, FieldNumber field, const KernelNode& kernel) {
  using F = KernelNodeField;
  Builder<F> out(to, field);
  out.add_uint32(F::kFunction, Number(kernel.function));
  out.add_uint32(F::kGridX, kernel.grid[0]);
  out.add_uint32(F::kGridY, kernel.grid[1]);
  out.add_uint32(F::kGridZ, kernel.grid[2]);
  out.add_uint32(F::kBlockX, kernel.block[0]);
  out.add_uint32(F::kBlockY, kernel.block[1]);
  out.add_uint32(F::kBlockZ, kernel.block[2]);
  out.add_uint32(F::kSharedBytes, kernel.shared_bytes);
  for (const Attribute& attribute : kernel.attributes) {
    AddAttribute(out, Number(F::kAttributes), attribute);
  }
  for (const Scalar& scalar : kernel.scalars) AddScalar(out, Number(F::kScalars), scalar);
  out.add_bool(F::kByExtra, kernel.by_extra);
}

void AddMemcpy(Writer& to, FieldNumber field, const MemcpyNode& memcpy) {
  using F = MemcpyNodeField;
  Builder<F> out(to, field);
  out.add_uint64(F::kWidthBytes, memcpy.width_bytes);
  out.add_uint64(F::kHeight, memcpy.height);
  out.add_uint64(F::kDepth, memcpy.depth);
  out.add_uint32(F::kSourceMemory, memcpy.source_memory);
  out.add_uint32(F::kDestinationMemory, memcpy.destination_memory);
  out.add_uint64(F::kSourcePitch, memcpy.source_pitch);
  out.add_uint64(F::kDestinationPitch, memcpy.destination_pitch);
}

void AddMemset(Writer& to, FieldNumber field, const MemsetNode& memset) {
  using F = MemsetNodeField;
  Builder<F> out(to, field);
  out.add_uint32(F::kValue, memset.value);
  out.add_uint32(F::kElementBytes, memset.element_bytes);
  out.add_uint64(F::kWidth, memset.width);
  out.add_uint64(F::kHeight, memset.height);
  out.add_uint64(F::kPitch, memset.pitch);
}

void AddOperandBlock(Writer& to, FieldNumber field, const OperandBlock& block) {
  using F = OperandBlockField;
  Builder<F> out(to, field);
  out.add_fixed64(F::kAddress, block.address);
  out.add_uint64(F::kBytes, block.bytes);
  out.add_uint64(F::kPoolFirst, block.pool.first);
  out.add_uint64(F::kPoolSecond, block.pool.second);
  if (block.op) out.add_uint32(F::kOp, Number(*block.op));
}

void AddOperand(Writer& to, FieldNumber field, const Operand& operand) {
  using F = OperandField;
  Builder<F> out(to, field);
  out.add_enum(F::kRole, static_cast<std::int32_t>(operand.role));
  AddOptional(out, F::kParameter, operand.parameter);
  AddOptional(out, F::kOffset, operand.offset);
  out.add_fixed64(F::kAddress, operand.address);
  out.add_enum(F::kGrade, static_cast<std::int32_t>(operand.grade));
  out.add_uint64(F::kExtent, operand.extent);
  out.add_bool(F::kExact, operand.exact);
  out.add_bool(F::kHost, operand.host);
  AddOptional(out, F::kDtype, operand.dtype);
  if (operand.strided) out.add_bool(F::kStrided, *operand.strided);
  if (operand.block != nullptr) AddOperandBlock(out, Number(F::kBlock), *operand.block);
  AddOptional(out, F::kOp, operand.op);
}

void AddTensor(Writer& to, FieldNumber field, const Tensor& tensor) {
  using F = TensorField;
  Builder<F> out(to, field);
  out.add_enum(F::kRole, static_cast<std::int32_t>(tensor.role));
  out.add_uint32(F::kIndex, tensor.index);
  out.add_uint32(F::kDtype, tensor.dtype);
  out.add_packed_sint64(F::kSizes, tensor.sizes.begin(), tensor.sizes.end());
  out.add_packed_sint64(F::kStrides, tensor.strides.begin(), tensor.strides.end());
  AddOptional(out, F::kDevice, tensor.device);
  out.add_fixed64(F::kAddress, tensor.address);
  out.add_uint64(F::kBytes, tensor.bytes);
  out.add_fixed64(F::kStorageAddress, tensor.storage_address);
  out.add_uint64(F::kStorageBytes, tensor.storage_bytes);
}

void AddGradient(Writer& to, FieldNumber field, const Gradient& gradient) {
  using F = GradientField;
  Builder<F> out(to, field);
  std::vector<std::uint32_t> names;
  for (const StringId name : gradient.names) names.push_back(Number(name));
  out.add_packed_uint32(F::kNames, names.begin(), names.end());
  if (gradient.scope) out.add_uint32(F::kScope, Number(*gradient.scope));
  if (gradient.parameter) out.add_fixed64(F::kParameter, *gradient.parameter);
  out.add_uint32(F::kInvocation, gradient.invocation);
}

// By add_message, because protozero drops a submessage without fields: here a free node.
void AddAllocation(Writer& to, FieldNumber field, std::optional<std::uint64_t> bytes) {
  std::string body;
  if (bytes) Builder<AllocationNodeField>(body).add_uint64(AllocationNodeField::kBytes, *bytes);
  to.add_message(field, body);
}

void AddDependency(Writer& to, FieldNumber field, const Dependency& dependency) {
  using F = DependencyField;
  Builder<F> out(to, field);
  out.add_uint32(F::kFrom, dependency.from);
  out.add_uint32(F::kFromPort, dependency.from_port);
  out.add_uint32(F::kToPort, dependency.to_port);
  out.add_uint32(F::kType, dependency.type);
}

}  // namespace

void AddNodeParameters(Writer& to, FieldNumber field, const NodeParameters& parameters) {
  using F = NodeParametersField;
  Builder<F> out(to, field);
  out.add_uint32(F::kKind, parameters.kind);
  if (parameters.kernel) AddKernel(out, Number(F::kKernel), *parameters.kernel);
  if (parameters.memcpy) AddMemcpy(out, Number(F::kMemcpy), *parameters.memcpy);
  if (parameters.memset) AddMemset(out, Number(F::kMemset), *parameters.memset);
  if (parameters.host_function) {
    Builder<HostNodeField> host(out, F::kHost);
    host.add_fixed64(HostNodeField::kFunctionAddress, *parameters.host_function);
  }
  if (parameters.event_handle) {
    Builder<EventNodeField> event(out, F::kEvent);
    event.add_fixed64(EventNodeField::kEventHandle, *parameters.event_handle);
  }
  if (parameters.conditional) {
    Builder<ConditionalNodeField> conditional(out, F::kConditional);
    conditional.add_uint32(ConditionalNodeField::kType, parameters.conditional->type);
    conditional.add_uint32(ConditionalNodeField::kBodies, parameters.conditional->bodies);
  }
  if (parameters.allocation) {
    AddAllocation(out, Number(F::kAllocation), parameters.allocation_bytes);
  }
  for (const Operand& operand : parameters.operands) {
    AddOperand(out, Number(F::kOperands), operand);
  }
  AddOptional(out, F::kUnreadError, parameters.unread_error);
}

std::string Encode(GraphId id, const Graph& graph) {
  using F = GraphField;
  std::string body;
  Builder<F> out(body);
  out.add_uint32(F::kId, Number(id));
  out.add_uint32(F::kNumber, graph.number);
  out.add_uint32(F::kVersion, graph.version);
  out.add_uint32(F::kKey, Number(graph.key));
  AddOptional(out, F::kCapture, graph.capture);
  out.add_uint32(F::kNodeCount, graph.node_count);
  out.add_uint32(F::kEdgeCount, graph.edge_count);
  out.add_fixed64(F::kTimeNs, graph.time_ns);
  if (graph.eager) out.add_bool(F::kEager, true);
  return Delimited(EntryField::kGraph, body);
}

std::string_view Encode(GraphId graph, const Node& node, std::string* body, std::string* messages) {
  using F = NodeField;
  body->clear();
  Builder<F> out(*body);
  out.add_uint32(F::kGraph, Number(graph));
  const std::size_t behind_graph = body->size();
  out.add_uint32(F::kIndex, node.index);
  AddOptional(out, F::kParent, node.parent);
  AddOptional(out, F::kBody, node.body);
  out.add_uint32(F::kPosition, node.position);
  if (node.scope) out.add_uint32(F::kScope, Number(*node.scope));
  for (const Dependency& dependency : node.dependencies) {
    AddDependency(out, Number(F::kDependencies), dependency);
  }
  AddNodeParameters(out, Number(F::kParameters), node.parameters);
  AddOptional(out, F::kOp, node.op);
  if (node.inner_op) out.add_uint32(F::kInnerOp, Number(*node.inner_op));
  if (node.stack) out.add_uint32(F::kStack, Number(*node.stack));
  AppendDelimited(EntryField::kNode, *body, messages);
  return std::string_view(*body).substr(behind_graph);
}

std::string_view Encode(GraphId graph, std::uint32_t index, const Op& op, std::string* body,
                        std::string* messages) {
  using F = OpField;
  body->clear();
  Builder<F> out(*body);
  out.add_uint32(F::kGraph, Number(graph));
  const std::size_t behind_graph = body->size();
  out.add_uint32(F::kIndex, index);
  out.add_enum(F::kKind, static_cast<std::int32_t>(op.kind));
  out.add_uint32(F::kName, Number(op.name));
  if (op.scope) out.add_uint32(F::kScope, Number(*op.scope));
  out.add_uint32(F::kInvocation, op.invocation);
  AddOptional(out, F::kParent, op.parent);
  for (const Tensor& tensor : op.tensors) AddTensor(out, Number(F::kTensors), tensor);
  if (op.stack) out.add_uint32(F::kStack, Number(*op.stack));
  if (op.gradient) AddGradient(out, Number(F::kGradient), *op.gradient);
  AppendDelimited(EntryField::kOp, *body, messages);
  return std::string_view(*body).substr(behind_graph);
}

}  // namespace graphtap::record
