#include "interpose/graph/functions.h"

namespace graphtap::graph {
namespace {

// No call tells how many parameters there are: the index that is one too many is refused. The
// bound is the parameter space (32,764 bytes) in parameters of one byte.
constexpr std::size_t kMostParameters = 32'764;

}  // namespace

std::shared_ptr<const FunctionInfo> Functions::Find(CUfunction function, CUkernel kernel) {
  const void* handle =
      function != nullptr ? static_cast<const void*>(function) : static_cast<const void*>(kernel);
  {
    const std::lock_guard lock(mutex_);
    const auto found = by_handle_.find(handle);
    if (found != by_handle_.end()) return found->second;
  }
  auto info = std::make_shared<const FunctionInfo>(Describe(function, kernel));
  if (!info->complete) return info;
  const std::lock_guard lock(mutex_);
  return by_handle_.emplace(handle, std::move(info)).first->second;
}

void Functions::Forget() noexcept {
  const std::lock_guard lock(mutex_);
  by_handle_.clear();
}

std::string Functions::NameOf(record::FunctionId id) {
  const std::lock_guard lock(mutex_);
  const auto found = names_.find(id);
  return found == names_.end() ? std::string() : found->second;
}

FunctionInfo Functions::Describe(CUfunction function, CUkernel kernel) {
  const auto& calls = session_.calls();
  const char* name = nullptr;
  if (function != nullptr && calls.function_name != nullptr) {
    if (calls.function_name(&name, function) != CUDA_SUCCESS) name = nullptr;
  } else if (kernel != nullptr && calls.kernel_name != nullptr) {
    if (calls.kernel_name(&name, kernel) != CUDA_SUCCESS) name = nullptr;
  }
  FunctionInfo info;
  info.complete = name != nullptr;
  const bool can_ask =
      function != nullptr ? calls.function_parameter != nullptr : calls.kernel_parameter != nullptr;
  info.layout_unknown = !can_ask;
  for (std::size_t i = 0; can_ask && i < kMostParameters; ++i) {
    std::size_t offset = 0, size = 0;
    const CUresult result = function != nullptr
                                ? calls.function_parameter(function, i, &offset, &size)
                                : calls.kernel_parameter(kernel, i, &offset, &size);
    if (result != CUDA_SUCCESS) {
      info.layout_unknown = result != CUDA_ERROR_INVALID_VALUE;
      info.complete = info.complete && !info.layout_unknown;
      break;
    }
    info.parameters.push_back(
        {static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(size)});
  }

  if (name == nullptr || info.layout_unknown) session_.recorder().Count(Loss::missing_call);
  record::Function definition;
  const std::string text = name == nullptr ? "(unnamed)" : name;
  definition.name = session_.recorder().Intern(text);
  definition.parameters = info.parameters;
  definition.layout_unknown = info.layout_unknown;
  std::string content = text + '\0' + (info.layout_unknown ? '?' : '=');
  for (const auto& parameter : info.parameters) {
    content += std::to_string(parameter.offset) + ':' + std::to_string(parameter.size) + ',';
  }
  const std::lock_guard lock(mutex_);
  const auto known = by_content_.find(content);
  if (known != by_content_.end()) {
    info.id = known->second;
  } else {
    info.id = session_.recorder().Define(definition);
    names_.emplace(info.id, text);
    by_content_.emplace(std::move(content), info.id);
  }
  return info;
}

}  // namespace graphtap::graph
