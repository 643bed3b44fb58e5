// RegisteredTwin: the CPU function that runs in a kernel's place (tests/hostcuda/twin.h). Owner:
// one table for the process. Threads: any. Failure: a plug-in that cannot be opened is a line on
// stderr and a failed cuInit. Units: bytes.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "tests/hostcuda/driver/function.h"
#include "tests/hostcuda/twin.h"

namespace hostcuda {

struct RegisteredTwin {
  std::string name;
  std::vector<Parameter> parameters;
  void (*function)() = nullptr;
  int (*call)(void (*function)(), const HostcudaGrid* grid, const void* arguments) = nullptr;
};

// Null if there is none.
std::shared_ptr<const RegisteredTwin> FindTwin(const std::string& name);

// Opens the plug-ins in HOSTCUDA_TWINS. False if one cannot be opened.
bool LoadTwinPlugins();

// Runs the kernel's twin on the calling thread; without a twin only counts. Returns the launch's
// error.
CUresult RunKernel(const KernelWork& work);

unsigned long long LaunchesWithoutTwin();

}  // namespace hostcuda
