// Load: what the jobs take from the library in PyTorch's place, which lies beside them and is
// loaded as Python loads PyTorch's. Owner: it stays loaded. Threads: any. Failure: one line, and
// exit 1.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>

namespace torch_like {

// What the function of this name gives.
template <typename Get>
auto& Load(const char* name) {
  const auto program = std::filesystem::canonical("/proc/self/exe");
  const auto path = program.parent_path() / "torch_like/torch/lib/libtorch_cpu.so";
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  const auto get = library == nullptr ? nullptr : reinterpret_cast<Get*>(dlsym(library, name));
  if (get != nullptr) return *get();
  std::fprintf(stderr, "%s: %s\n", program.filename().c_str(), dlerror());
  std::exit(1);
}

}  // namespace torch_like
