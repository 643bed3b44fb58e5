// Records: what the preload library writes, as plain values, one struct for each message of
// proto/trace.proto. Owner: whoever fills them; the recorder copies. Threads: values, no sharing.
// Failure: none. Units: nanoseconds of CLOCK_MONOTONIC, bytes; each field means what its namesake
// in trace.proto means. No CUDA header: driver enumerations are carried as numbers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interpose/record/small_bytes.h"

namespace graphtap::record {

enum class StringId : std::uint32_t {};
enum class FunctionId : std::uint32_t {};
enum class StackId : std::uint32_t {};
enum class GraphId : std::uint32_t {};
enum class ThreadId : std::uint32_t {};
enum class StreamId : std::uint32_t {};

struct Parameter {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};

struct Function {
  StringId name{};
  std::vector<Parameter> parameters;
  bool layout_unknown = false;
};

struct Graph {
  std::uint32_t number = 0, version = 0;
  StringId key{};
  std::optional<std::uint32_t> capture;
  std::uint32_t node_count = 0, edge_count = 0;
  std::uint64_t time_ns = 0;
  bool eager = false;
};

struct Dependency {
  std::uint32_t from = 0;
  std::uint32_t from_port = 0, to_port = 0, type = 0;
};

struct Attribute {
  std::uint32_t id = 0;
  std::optional<std::int64_t> value;
  std::vector<std::uint32_t> dimensions;
};

struct Scalar {
  std::uint32_t parameter = 0;
  SmallBytes bytes;
  std::uint32_t size = 0;  // of the parameter: more than bytes.size() if it was cut
  bool raw = false;        // may be others in another run: padding, an address, a byte unset
};

struct KernelNode {
  FunctionId function{};
  std::uint32_t grid[3] = {1, 1, 1}, block[3] = {1, 1, 1};
  std::uint32_t shared_bytes = 0;
  std::vector<Attribute> attributes;
  std::vector<Scalar> scalars;
  bool by_extra = false;
};

struct MemcpyNode {
  std::uint64_t width_bytes = 0, height = 0, depth = 0;
  std::uint32_t source_memory = 0, destination_memory = 0;
  std::uint64_t source_pitch = 0, destination_pitch = 0;
};

struct MemsetNode {
  std::uint32_t value = 0, element_bytes = 0;
  std::uint64_t width = 0, height = 0, pitch = 0;
};

struct ConditionalNode {
  std::uint32_t type = 0, bodies = 0;
};

enum class Role : std::uint8_t {
  kArgument = 0,
  kDestination = 1,
  kSource = 2,
  kOutput = 3,
  kInput = 4,
  kGradient = 5,
};
enum class Grade : std::uint8_t { kScanned = 0, kLearned = 1, kOp = 2, kNode = 3 };

struct Operand {
  Role role = Role::kArgument;
  std::optional<std::uint32_t> parameter, offset;
  std::uint64_t address = 0;
  Grade grade = Grade::kScanned;
  std::uint64_t extent = 0;
  bool exact = false;
  bool host = false;
  std::optional<std::uint32_t> dtype{};  // of an op's tensor, and the next
  std::optional<bool> strided{};
  std::shared_ptr<const struct Tensor> tensor{};       // op_records.h; not written
  std::shared_ptr<const struct OperandBlock> block{};  // allocator_records.h
  std::optional<std::uint32_t> op{};                   // of a gradient: that it flows into
};

struct NodeParameters {
  std::uint32_t kind = 0;
  std::optional<KernelNode> kernel;
  std::optional<MemcpyNode> memcpy;
  std::optional<MemsetNode> memset;
  std::optional<std::uint64_t> host_function;
  std::optional<std::uint64_t> event_handle;
  std::optional<ConditionalNode> conditional;
  bool allocation = false;
  std::optional<std::uint64_t> allocation_bytes;
  std::vector<Operand> operands;
  std::optional<std::uint32_t> unread_error;
};

struct Op;  // op_records.h

struct Node {
  std::uint32_t index = 0;
  std::optional<std::uint32_t> parent, body;
  std::uint32_t position = 0;
  std::optional<StringId> scope;
  std::vector<Dependency> dependencies;
  NodeParameters parameters;
  std::optional<std::uint32_t> op{};
  std::optional<StringId> inner_op{};
  std::optional<StackId> stack{};
  std::shared_ptr<const std::vector<Op>> ops{};  // that `op` counts in; not written with the node
};

struct Executable {
  std::uint32_t number = 0;
  GraphId graph{};
  StringId key{};
  std::uint64_t flags = 0;
  ThreadId thread{};
  std::uint64_t time_ns = 0;
  StringId call{};
};

}  // namespace graphtap::record
