// Function: a kernel by name, with the parameter layout that its twin gives. Owner: shared by its
// module and by work that runs it. Threads: immutable after creation. Failure: none. Units: bytes.
#pragma once

#include <cuda.h>

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "tests/hostcuda/driver/handles.h"
#include "tests/hostcuda/driver/work.h"

namespace hostcuda {

struct Library;
struct Module;
struct RegisteredTwin;

struct Parameter {
  std::size_t offset = 0;
  std::size_t size = 0;
};

struct Function {
  CUfunction Handle() { return reinterpret_cast<CUfunction>(this); }
  std::size_t ArgumentBytes() const;

  std::string name;                            // mangled
  std::vector<Parameter> parameters;           // empty if there is no twin
  std::shared_ptr<const RegisteredTwin> twin;  // null: the kernel does nothing
  Module* module = nullptr;
  Library* library = nullptr;  // null if it came from a module of its own
  Context* context = nullptr;
};

// The function that a launch names: a CUfunction, or a CUkernel cast to one (then its function in
// the current context). CUDA_ERROR_INVALID_HANDLE for anything else.
CUresult ResolveFunction(CUfunction handle, std::shared_ptr<Function>* function);

// The CUkernel of a function, for node parameters; null if it came from no (live) library.
CUkernel KernelOf(const Function& function);

// Where parameter `index` lies; INVALID_VALUE behind the last one. `bytes` may be null.
CUresult GetParameter(const std::vector<Parameter>& parameters, std::size_t index,
                      std::size_t* offset, std::size_t* bytes);

// Attributes are those of a small kernel; setting one is checked and has no effect.
CUresult GetFunctionAttribute(CUfunction_attribute attribute, int* value);
CUresult CheckFunctionAttribute(CUfunction_attribute attribute, int value);

// Packs arguments given as kernelParams or as `extra` (CU_LAUNCH_PARAM_BUFFER_POINTER and SIZE)
// into work->arguments and sets work->by_extra. INVALID_VALUE for both or malformed ones.
CUresult PackArguments(const Function& function, void** kernel_params, void** extra,
                       KernelWork* work);

// INVALID_VALUE: a zero dimension, a block of more than 1024 threads, too much shared memory.
CUresult CheckShape(const KernelWork& work);

}  // namespace hostcuda
