#include <vector>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/per_thread.h"

namespace hostcuda {
namespace {

std::vector<CUcontext>& Stack() {
  static PerThread<std::vector<CUcontext>> stacks;
  return stacks.Get();
}

}  // namespace

CUcontext CurrentHandle() { return Stack().empty() ? nullptr : Stack().back(); }

std::shared_ptr<Context> CurrentContext() { return Live<Context>().Find(CurrentHandle()); }

CUresult RequireContext(std::shared_ptr<Context>* context) {
  CUcontext handle = CurrentHandle();
  if (handle == nullptr) return CUDA_ERROR_INVALID_CONTEXT;
  *context = Live<Context>().Find(handle);
  return *context ? (*context)->Error() : CUDA_ERROR_CONTEXT_IS_DESTROYED;
}

void PushCurrent(CUcontext context) { Stack().push_back(context); }

CUresult PopCurrent(CUcontext* context) {
  std::vector<CUcontext>& stack = Stack();
  if (stack.empty()) return CUDA_ERROR_INVALID_CONTEXT;
  if (context != nullptr) *context = stack.back();
  stack.pop_back();
  return CUDA_SUCCESS;
}

void SetCurrent(CUcontext context) {
  std::vector<CUcontext>& stack = Stack();
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
}

}  // namespace hostcuda
