#include "interpose/driver/library.h"

#include <dlfcn.h>

#include "interpose/driver/real_dlsym.h"

namespace graphtap::driver {

void* OpenLibrary(const std::string& path, std::string* error) {
  void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library != nullptr) return library;
  const char* text = dlerror();
  *error = text == nullptr ? path : text;
  return nullptr;
}

void* FindSymbol(void* library, const char* name) noexcept {
  const auto dlsym = graphtap_bind_dlsym();
  return dlsym == nullptr ? nullptr : dlsym(library, name);
}

}  // namespace graphtap::driver
