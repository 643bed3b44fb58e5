#include "analyzer/report/cuda_names.h"

#include <span>

#include "absl/strings/str_format.h"
#include "proto/operator_node.h"

namespace graphtap::report {
namespace {

// The word at `number`, or the number with what it counts.
std::string Word(std::span<const char* const> words, std::uint32_t number, const char* what) {
  return number < words.size() ? words[number] : absl::StrFormat("%s %u", what, number);
}

}  // namespace

std::string ResultName(std::uint32_t result) {
  switch (result) {
#define GT_CUDA_RESULT(number, name) \
  case number:                       \
    return #name;
#include "analyzer/report/cuda_results.inc"
#undef GT_CUDA_RESULT
    default:
      return absl::StrFormat("CUresult %u", result);
  }
}

std::string NodeKindName(std::uint32_t kind) {
  static constexpr const char* kWords[] = {
      "kernel",      "memcpy",     "memset",           "host",           "child", "empty",
      "wait",        "record",     "semaphore_signal", "semaphore_wait", "alloc", "free",
      "batch_memop", "conditional"};
  return kind == kOperatorNode ? kOperatorNodeName : Word(kWords, kind, "kind");
}

std::string CaptureModeName(std::uint32_t mode) {
  static constexpr const char* kWords[] = {"global", "thread_local", "relaxed"};
  return Word(kWords, mode, "mode");
}

std::string UpdateResultName(std::uint32_t result) {
  static constexpr const char* kWords[] = {"success",           "error",
                                           "topology changed",  "node type changed",
                                           "function changed",  "parameters changed",
                                           "not supported",     "unsupported function change",
                                           "attributes changed"};
  return Word(kWords, result, "update result");
}

std::string DependencyTypeName(std::uint32_t type) {
  static constexpr const char* kWords[] = {"full", "programmatic"};
  return Word(kWords, type, "type");
}

std::string MemoryTypeName(std::uint32_t type) {
  static constexpr const char* kWords[] = {"unknown", "host", "device", "array", "unified"};
  return Word(kWords, type, "memory");
}

std::string AttributeName(std::uint32_t id) {
  static constexpr const char* kWords[] = {"ignore",
                                           "access_policy_window",
                                           "cooperative",
                                           "synchronization_policy",
                                           "cluster_dimension",
                                           "cluster_scheduling_policy",
                                           "programmatic_stream_serialization",
                                           "programmatic_event",
                                           "priority",
                                           "mem_sync_domain_map",
                                           "mem_sync_domain",
                                           "preferred_cluster_dimension",
                                           "launch_completion_event",
                                           "device_updatable_kernel_node",
                                           "preferred_shared_memory_carveout"};
  return Word(kWords, id, "attribute");
}

std::string ConditionalTypeName(std::uint32_t type) {
  static constexpr const char* kWords[] = {"if", "while", "switch"};
  return Word(kWords, type, "type");
}

std::string InstantiateFlagNames(std::uint64_t flags) {
  static constexpr const char* kWords[] = {"auto_free_on_launch", "upload", "device_launch",
                                           "use_node_priority"};
  std::string names;
  for (std::uint32_t bit = 0; bit < 64; ++bit) {
    if ((flags >> bit & 1) == 0) continue;
    if (!names.empty()) names += '+';
    names += Word(kWords, bit, "bit");
  }
  return names.empty() ? "none" : names;
}

std::string DriverVersionName(std::uint32_t version) {
  return absl::StrFormat("%u.%u", version / 1000, version % 1000 / 10);
}

std::string GradeName(Operand::Grade grade) {
  static constexpr const char* kWords[] = {"scanned", "learned", "op", "node"};
  return Word(kWords, static_cast<std::uint32_t>(grade), "grade");
}

}  // namespace graphtap::report
