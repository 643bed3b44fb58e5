#include "interpose/driver/library.h"

#include <dlfcn.h>
#include <link.h>

#include "interpose/driver/real_dlsym.h"

namespace graphtap::driver {
namespace {

struct Definer {
  const char* symbol;
  const char* path;  // the loader's, as long as the library is there
};

int Visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* definer = static_cast<Definer*>(data);
  if (!graphtap_defines_symbol(info, definer->symbol)) return 0;
  definer->path = info->dlpi_name;
  return 1;
}

}  // namespace

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

std::optional<void*> FindDefining(const char* name) noexcept {
  if (FindSymbol(RTLD_DEFAULT, name) != nullptr) return RTLD_DEFAULT;
  Definer definer{name, nullptr};
  dl_iterate_phdr(Visit, &definer);
  if (definer.path == nullptr) return std::nullopt;
  void* library = dlopen(definer.path, RTLD_LAZY | RTLD_NOLOAD);
  return library == nullptr ? std::nullopt : std::optional(library);
}

}  // namespace graphtap::driver
