#include "interpose/graph/parameter_reader.h"

#include <array>
#include <cstring>

namespace graphtap::graph {
namespace {

// The one buffer of arguments that `extra` describes, if it does: pairs of key and value.
const std::byte* ExtraBuffer(void** extra, std::size_t* bytes) {
  const std::byte* buffer = nullptr;
  *bytes = 0;
  for (; extra != nullptr && *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (*extra == CU_LAUNCH_PARAM_BUFFER_POINTER) buffer = static_cast<std::byte*>(extra[1]);
    if (*extra == CU_LAUNCH_PARAM_BUFFER_SIZE) *bytes = *static_cast<std::size_t*>(extra[1]);
  }
  return buffer;
}

record::Operand CopyEnd(record::Role role, CUmemorytype memory, CUdeviceptr device,
                        const void* host, std::size_t offset) {
  record::Operand operand;
  operand.role = role;
  operand.grade = record::Grade::kNode;
  operand.host = memory == CU_MEMORYTYPE_HOST;
  operand.address =
      (operand.host ? reinterpret_cast<std::uint64_t>(host) : static_cast<std::uint64_t>(device)) +
      offset;
  return operand;
}

// From the first to the last byte of rows that lie `pitch` apart, in slices of `slice` rows.
std::uint64_t Span(std::uint64_t width, std::uint64_t rows, std::uint64_t pitch,
                   std::uint64_t depth = 1, std::uint64_t slice = 0) {
  if (width == 0 || rows == 0 || depth == 0) return 0;
  return ((depth - 1) * slice + rows - 1) * pitch + width;
}

}  // namespace

// The stack, the heaps and the mappings of a 64-bit process lie where few numbers do.
bool MayVary(std::span<const std::byte> parameter) {
  std::uint64_t word = 0;
  if (parameter.size() != sizeof word)
    return parameter.size() == 1 || parameter.size() > sizeof word;
  std::memcpy(&word, parameter.data(), sizeof word);
  return (word >> 32) != 0 && (word >> 47) == 0;
}

void ParameterReader::AddOfGraph(const std::vector<memory::Allocation>& allocations) {
  for (const auto& allocation : allocations) lookup_.AddOfGraph(allocation);
}

record::NodeParameters ParameterReader::Plain(CUgraphNodeType kind) {
  record::NodeParameters result;
  result.kind = static_cast<std::uint32_t>(kind);
  return result;
}

record::NodeParameters ParameterReader::Unread(CUgraphNodeType kind, CUresult error) {
  auto result = Plain(kind);
  result.unread_error = static_cast<std::uint32_t>(error);
  return result;
}

record::NodeParameters ParameterReader::Kernel(const CUDA_KERNEL_NODE_PARAMS_v1& parameters) {
  CUDA_KERNEL_NODE_PARAMS_v2 newer{};
  std::memcpy(&newer, &parameters, sizeof parameters);  // v2 only adds fields at the end
  return Kernel(newer);
}

record::NodeParameters ParameterReader::Kernel(const CUDA_KERNEL_NODE_PARAMS_v2& parameters) {
  auto result = Plain(CU_GRAPH_NODE_TYPE_KERNEL);
  const auto function = functions_.Find(parameters.func, parameters.kern);
  auto& kernel = result.kernel.emplace();
  kernel.function = function->id;
  kernel.grid[0] = parameters.gridDimX;
  kernel.grid[1] = parameters.gridDimY;
  kernel.grid[2] = parameters.gridDimZ;
  kernel.block[0] = parameters.blockDimX;
  kernel.block[1] = parameters.blockDimY;
  kernel.block[2] = parameters.blockDimZ;
  kernel.shared_bytes = parameters.sharedMemBytes;
  std::size_t buffer_bytes = 0;
  const std::byte* buffer = ExtraBuffer(parameters.extra, &buffer_bytes);
  kernel.by_extra = parameters.kernelParams == nullptr && buffer != nullptr;
  result.operands.reserve(function->parameters.size());
  kernel.scalars.reserve(function->parameters.size());
  for (std::uint32_t i = 0; i < function->parameters.size(); ++i) {
    const auto [offset, size] = function->parameters[i];
    const std::byte* bytes = nullptr;
    if (parameters.kernelParams != nullptr) {
      bytes = static_cast<const std::byte*>(parameters.kernelParams[i]);
    } else if (buffer != nullptr && std::size_t{offset} + size <= buffer_bytes) {
      bytes = buffer + offset;
    }
    if (bytes != nullptr) ReadParameter(i, bytes, size, &kernel, &result.operands);
  }
  return result;
}

void ParameterReader::ReadParameter(std::uint32_t index, const std::byte* bytes, std::size_t size,
                                    record::KernelNode* kernel,
                                    std::vector<record::Operand>* operands) {
  const bool small = size <= sizeof(std::uint64_t);
  bool pointer = false;
  for (std::size_t at = 0; at + sizeof(std::uint64_t) <= size; at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes + at, sizeof word);
    const auto* allocation = lookup_.Find(word);
    if (allocation == nullptr) continue;
    pointer = true;
    record::Operand& operand = operands->emplace_back();
    operand.address = word;
    operand.parameter = index;
    if (!small) operand.offset = static_cast<std::uint32_t>(at);
    operand.host = allocation->host;
  }
  if (small && pointer) return;
  record::Scalar scalar;
  scalar.parameter = index;
  scalar.size = static_cast<std::uint32_t>(size);
  scalar.bytes = std::span(bytes, std::min(size, kMostParameterBytes));
  scalar.raw = MayVary({bytes, size});
  kernel->scalars.push_back(std::move(scalar));
}

record::NodeParameters ParameterReader::Memcpy(const CUDA_MEMCPY3D& copy) {
  auto result = Plain(CU_GRAPH_NODE_TYPE_MEMCPY);
  result.memcpy = record::MemcpyNode{copy.WidthInBytes,
                                     copy.Height,
                                     copy.Depth,
                                     static_cast<std::uint32_t>(copy.srcMemoryType),
                                     static_cast<std::uint32_t>(copy.dstMemoryType),
                                     copy.srcPitch,
                                     copy.dstPitch};
  const auto add = [&](record::Operand operand, CUmemorytype memory, std::size_t pitch,
                       std::size_t slice) {
    if (memory == CU_MEMORYTYPE_ARRAY) return;  // an array has no address
    operand.extent = Span(copy.WidthInBytes, copy.Height, pitch, copy.Depth, slice);
    operand.exact = true;
    if (memory == CU_MEMORYTYPE_UNIFIED) {
      const auto* allocation = lookup_.Find(operand.address);
      operand.host = allocation != nullptr && allocation->host;
    }
    result.operands.push_back(operand);
  };
  add(CopyEnd(record::Role::kDestination, copy.dstMemoryType, copy.dstDevice, copy.dstHost,
              copy.dstXInBytes + (copy.dstZ * copy.dstHeight + copy.dstY) * copy.dstPitch),
      copy.dstMemoryType, copy.dstPitch, copy.dstHeight);
  add(CopyEnd(record::Role::kSource, copy.srcMemoryType, copy.srcDevice, copy.srcHost,
              copy.srcXInBytes + (copy.srcZ * copy.srcHeight + copy.srcY) * copy.srcPitch),
      copy.srcMemoryType, copy.srcPitch, copy.srcHeight);
  return result;
}

record::NodeParameters ParameterReader::Memset(const CUDA_MEMSET_NODE_PARAMS& fill) {
  auto result = Plain(CU_GRAPH_NODE_TYPE_MEMSET);
  result.memset =
      record::MemsetNode{fill.value, fill.elementSize, fill.width, fill.height, fill.pitch};
  record::Operand operand;
  operand.role = record::Role::kDestination;
  operand.grade = record::Grade::kNode;
  operand.address = fill.dst;
  operand.extent = Span(fill.width * fill.elementSize, fill.height, fill.pitch);
  operand.exact = true;
  const auto* allocation = lookup_.Find(fill.dst);
  operand.host = allocation != nullptr && allocation->host;
  result.operands.push_back(operand);
  return result;
}

record::NodeParameters ParameterReader::Host(const void* function) {
  auto result = Plain(CU_GRAPH_NODE_TYPE_HOST);
  result.host_function = reinterpret_cast<std::uint64_t>(function);
  return result;
}

record::NodeParameters ParameterReader::Event(CUgraphNodeType kind, CUevent event) {
  auto result = Plain(kind);
  result.event_handle = reinterpret_cast<std::uint64_t>(event);
  return result;
}

record::NodeParameters ParameterReader::Allocation(const CUDA_MEM_ALLOC_NODE_PARAMS& parameters) {
  auto result = Free(parameters.dptr);
  result.kind = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  result.allocation_bytes = parameters.bytesize;
  result.operands.front().extent = parameters.bytesize;
  result.operands.front().exact = true;
  lookup_.AddOfGraph({parameters.dptr, parameters.bytesize});
  return result;
}

record::NodeParameters ParameterReader::Free(CUdeviceptr address) {
  auto result = Plain(CU_GRAPH_NODE_TYPE_MEM_FREE);
  result.allocation = true;
  record::Operand operand;
  operand.role = record::Role::kDestination;
  operand.grade = record::Grade::kNode;
  operand.address = address;
  result.operands.push_back(operand);
  return result;
}

record::NodeParameters ParameterReader::Generic(const CUgraphNodeParams& parameters) {
  switch (parameters.type) {
    case CU_GRAPH_NODE_TYPE_KERNEL: {
      // v3 is v2 with an explicit choice of the context.
      CUDA_KERNEL_NODE_PARAMS_v2 kernel{};
      const auto& given = parameters.kernel;
      kernel.func = given.func;
      kernel.gridDimX = given.gridDimX;
      kernel.gridDimY = given.gridDimY;
      kernel.gridDimZ = given.gridDimZ;
      kernel.blockDimX = given.blockDimX;
      kernel.blockDimY = given.blockDimY;
      kernel.blockDimZ = given.blockDimZ;
      kernel.sharedMemBytes = given.sharedMemBytes;
      kernel.kernelParams = given.kernelParams;
      kernel.extra = given.extra;
      kernel.kern = given.kern;
      return Kernel(kernel);
    }
    case CU_GRAPH_NODE_TYPE_MEMCPY:
      return Memcpy(parameters.memcpy.copyParams);
    case CU_GRAPH_NODE_TYPE_MEMSET: {
      const auto& given = parameters.memset;
      return Memset(CUDA_MEMSET_NODE_PARAMS{given.dst, given.pitch, given.value, given.elementSize,
                                            given.width, given.height});
    }
    case CU_GRAPH_NODE_TYPE_HOST:
      return Host(reinterpret_cast<const void*>(parameters.host.fn));
    case CU_GRAPH_NODE_TYPE_EVENT_RECORD:
      return Event(parameters.type, parameters.eventRecord.event);
    case CU_GRAPH_NODE_TYPE_WAIT_EVENT:
      return Event(parameters.type, parameters.eventWait.event);
    default:
      return Plain(parameters.type);
  }
}

void ParameterReader::AddAttributes(CUgraphNode node, record::KernelNode* kernel) {
  static constexpr std::array kWanted = {
      CU_LAUNCH_ATTRIBUTE_COOPERATIVE, CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
      CU_LAUNCH_ATTRIBUTE_PRIORITY, CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE};
  const auto ask = session_.calls().kernel_attribute;
  for (const auto id : kWanted) {
    CUlaunchAttributeValue value{};
    if (ask == nullptr || ask(node, id, &value) != CUDA_SUCCESS) continue;
    record::Attribute attribute;
    attribute.id = static_cast<std::uint32_t>(id);
    if (id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      if (value.clusterDim.x == 0) continue;
      attribute.dimensions = {value.clusterDim.x, value.clusterDim.y, value.clusterDim.z};
    } else if (id == CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE) {
      if (value.deviceUpdatableKernelNode.deviceUpdatable == 0) continue;
      attribute.value = value.deviceUpdatableKernelNode.deviceUpdatable;
    } else {
      // Each of the others is an int at the start of the value.
      int number = 0;
      std::memcpy(&number, &value, sizeof number);
      if (number == 0) continue;
      attribute.value = number;
    }
    kernel->attributes.push_back(std::move(attribute));
  }
}

}  // namespace graphtap::graph
