#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/module.h"
#include "tests/hostcuda/graph/capture.h"

namespace hostcuda {
namespace {

// Loading into a context is an unsafe call during a capture.
CUresult Load(CUmodule* module, Image image) {
  CUresult result = CheckCaptureRules(CallClass::kUnsafe);
  if (result != CUDA_SUCCESS) return result;
  auto shared = std::make_shared<const Image>(std::move(image));
  *module = AddModule(std::move(shared), CurrentContext()->Root())->Handle();
  return CUDA_SUCCESS;
}

}  // namespace

namespace calls {

CUresult cuModuleLoad(CUmodule* module, const char* path) {
  if (module == nullptr || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Image image;
  CUresult result = Image::FromFile(path, &image);
  return result == CUDA_SUCCESS ? Load(module, std::move(image)) : result;
}

CUresult cuModuleLoadData(CUmodule* module, const void* data) {
  if (module == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  return Load(module, Image::FromMemory(data));
}

CUresult cuModuleLoadDataEx(CUmodule* module, const void* data, unsigned, CUjit_option*, void**) {
  return calls::cuModuleLoadData(module, data);
}

CUresult cuModuleLoadFatBinary(CUmodule* module, const void* data) {
  return calls::cuModuleLoadData(module, data);
}

CUresult cuModuleUnload(CUmodule handle) {
  std::shared_ptr<Module> module = Live<Module>().Find(handle);
  if (!module || module->library != nullptr) return CUDA_ERROR_INVALID_HANDLE;
  Live<Module>().Remove(handle);
  module->Unload();
  return CUDA_SUCCESS;
}

CUresult cuModuleGetFunction(CUfunction* function, CUmodule handle, const char* name) {
  if (function == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Module> module = Live<Module>().Find(handle);
  if (!module) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Function> found;
  CUresult result = module->GetFunction(name, &found);
  if (result == CUDA_SUCCESS) *function = found->Handle();
  return result;
}

CUresult cuModuleGetLoadingMode(CUmoduleLoadingMode* mode) {
  if (mode == nullptr) return CUDA_ERROR_INVALID_VALUE;
  *mode = CU_MODULE_LAZY_LOADING;
  return CUDA_SUCCESS;
}

}  // namespace calls
}  // namespace hostcuda
