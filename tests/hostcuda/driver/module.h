// Module, Library, Kernel: images and what is found in them by name. Owner: the live sets; a
// library owns its kernels and a module for each context. Threads: any. Failure: CUresult. Units:
// none.
#pragma once

#include <cuda.h>

#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "tests/hostcuda/driver/context.h"
#include "tests/hostcuda/driver/function.h"
#include "tests/hostcuda/driver/handles.h"

namespace hostcuda {

// What was loaded: a fat binary, machine code, or text. It is never run.
class Image {
 public:
  // Keeps what is needed of the image: a copy of text and machine code, nothing of a fat binary.
  static Image FromMemory(const void* data);
  // CUDA_ERROR_FILE_NOT_FOUND, or *image.
  static CUresult FromFile(const char* path, Image* image);

  // Whether a function of that name may be in it: always for a fat binary, whose parts may be
  // packed.
  bool Holds(const std::string& name) const;

 private:
  bool fat_binary_ = false;
  std::string bytes_;
};

struct Library;

struct Module {
  CUmodule Handle() { return reinterpret_cast<CUmodule>(this); }
  // CUDA_ERROR_NOT_FOUND, or *function, the same for the same name.
  CUresult GetFunction(const std::string& name, std::shared_ptr<Function>* function);
  // Makes the handles of its functions stale.
  void Unload();

  std::shared_ptr<const Image> image;
  Context* context = nullptr;
  Library* library = nullptr;  // null for a module that was loaded by itself

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Function>> functions_;
};

struct Kernel {
  CUkernel Handle() { return reinterpret_cast<CUkernel>(this); }
  // The function of this kernel in a context.
  CUresult FunctionIn(Context& context, std::shared_ptr<Function>* function);

  std::string name;
  Library* library = nullptr;
  std::shared_ptr<const RegisteredTwin> twin;
};

struct Library {
  CUlibrary Handle() { return reinterpret_cast<CUlibrary>(this); }
  // CUDA_ERROR_NOT_FOUND, or *kernel, the same for the same name.
  CUresult GetKernel(const std::string& name, std::shared_ptr<Kernel>* kernel);
  std::shared_ptr<Module> ModuleIn(Context& context);
  void Forget(const Context& context);
  void Unload();

  std::shared_ptr<const Image> image;

 private:
  std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Kernel>> kernels_;
  std::map<const Context*, std::shared_ptr<Module>> modules_;
};

// Enters a module of the image into the live set.
std::shared_ptr<Module> AddModule(std::shared_ptr<const Image> image, Context& context,
                                  Library* library = nullptr);

// When a context ends: its modules and the functions of libraries in it become stale.
void ForgetModules(const Context& context);

}  // namespace hostcuda
