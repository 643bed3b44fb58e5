#include "tests/hostcuda/driver/calls.h"
#include "tests/hostcuda/driver/module.h"
#include "tests/hostcuda/driver/twins.h"

namespace hostcuda {
namespace {

void Load(CUlibrary* handle, Image image) {
  auto library = std::make_shared<Library>();
  library->image = std::make_shared<const Image>(std::move(image));
  *handle = library->Handle();
  Live<Library>().Add(std::move(library));
}

}  // namespace

namespace calls {

CUresult cuLibraryLoadData(CUlibrary* library, const void* data, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  if (library == nullptr || data == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Load(library, Image::FromMemory(data));
  return CUDA_SUCCESS;
}

CUresult cuLibraryLoadFromFile(CUlibrary* library, const char* path, CUjit_option*, void**,
                               unsigned, CUlibraryOption*, void**, unsigned) {
  if (library == nullptr || path == nullptr) return CUDA_ERROR_INVALID_VALUE;
  Image image;
  CUresult result = Image::FromFile(path, &image);
  if (result == CUDA_SUCCESS) Load(library, std::move(image));
  return result;
}

CUresult cuLibraryUnload(CUlibrary handle) {
  std::shared_ptr<Library> library = Live<Library>().Remove(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  library->Unload();
  return CUDA_SUCCESS;
}

CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary handle, const char* name) {
  if (kernel == nullptr || name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Library> library = Live<Library>().Find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Kernel> found;
  CUresult result = library->GetKernel(name, &found);
  if (result == CUDA_SUCCESS) *kernel = found->Handle();
  return result;
}

CUresult cuLibraryGetModule(CUmodule* module, CUlibrary handle) {
  if (module == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Library> library = Live<Library>().Find(handle);
  if (!library) return CUDA_ERROR_INVALID_HANDLE;
  *module = library->ModuleIn(CurrentContext()->Root())->Handle();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetFunction(CUfunction* function, CUkernel handle) {
  if (function == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Kernel> kernel = Live<Kernel>().Find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  std::shared_ptr<Function> found;
  CUresult result = kernel->FunctionIn(CurrentContext()->Root(), &found);
  if (result == CUDA_SUCCESS) *function = found->Handle();
  return result;
}

CUresult cuKernelGetLibrary(CUlibrary* library, CUkernel handle) {
  if (library == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Kernel> kernel = Live<Kernel>().Find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *library = kernel->library->Handle();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetName(const char** name, CUkernel handle) {
  if (name == nullptr) return CUDA_ERROR_INVALID_VALUE;
  std::shared_ptr<Kernel> kernel = Live<Kernel>().Find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  *name = kernel->name.c_str();
  return CUDA_SUCCESS;
}

CUresult cuKernelGetParamInfo(CUkernel handle, std::size_t index, std::size_t* offset,
                              std::size_t* bytes) {
  std::shared_ptr<Kernel> kernel = Live<Kernel>().Find(handle);
  if (!kernel) return CUDA_ERROR_INVALID_HANDLE;
  return GetParameter(kernel->twin ? kernel->twin->parameters : std::vector<Parameter>{}, index,
                      offset, bytes);
}

CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice) {
  if (!Live<Kernel>().Find(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  return GetFunctionAttribute(attribute, value);
}

CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice) {
  if (!Live<Kernel>().Find(kernel)) return CUDA_ERROR_INVALID_HANDLE;
  return CheckFunctionAttribute(attribute, value);
}

}  // namespace calls
}  // namespace hostcuda
