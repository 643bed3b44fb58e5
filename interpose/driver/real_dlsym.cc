#include "interpose/driver/real_dlsym.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <cstdint>

extern "C" {
__attribute__((visibility("hidden"))) DlsymFunction graphtap_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) DlvsymFunction graphtap_real_dlvsym = nullptr;
}

namespace {

// The first look-up of a process may be that of a sanitizer's runtime, which finds its own parts by
// it: nothing here calls a function of another library, and nothing is instrumented.

bool Equal(const char* a, const char* b) {
  while (*a != '\0' && *a == *b) ++a, ++b;
  return *a == *b;
}

// The dynamic symbols of one loaded object, looked up by its DT_GNU_HASH table.
struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;

  SymbolTable(const ElfW(Dyn) * entry, std::uintptr_t base) {
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      auto address = static_cast<std::uintptr_t>(entry->d_un.d_ptr);
      if (address < base) address += base;  // the loader cannot write to a vDSO
      if (entry->d_tag == DT_SYMTAB) symbols = reinterpret_cast<const ElfW(Sym)*>(address);
      if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(address);
      if (entry->d_tag == DT_GNU_HASH) hash = reinterpret_cast<const std::uint32_t*>(address);
    }
  }

  const ElfW(Sym) * Find(const char* name) const {
    if (symbols == nullptr || strings == nullptr || hash == nullptr) return nullptr;
    std::uint32_t value = 5381;
    for (const char* c = name; *c != '\0'; ++c) value = value * 33 + static_cast<unsigned char>(*c);
    const std::uint32_t bucket_count = hash[0], first = hash[1], bloom_words = hash[2];
    if (bucket_count == 0) return nullptr;
    const std::uint32_t* buckets = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
    const std::uint32_t* chain = buckets + bucket_count;
    const std::uint32_t start = buckets[value % bucket_count];
    if (start < first) return nullptr;
    for (std::uint32_t i = start;; ++i) {
      const bool same_hash = ((chain[i - first] ^ value) >> 1) == 0;
      if (same_hash && symbols[i].st_shndx != SHN_UNDEF &&
          Equal(strings + symbols[i].st_name, name)) {
        return &symbols[i];
      }
      if ((chain[i - first] & 1) != 0) return nullptr;
    }
  }
};

const char* FileName(const char* path) {
  const char* file = path;
  for (const char* c = path; *c != '\0'; ++c) file = *c == '/' ? c + 1 : file;
  return file;
}

// The loader's list begins with what the program was started with, libc.so.6 among it, which stays
// as it is; what is opened later is added at its end.
void* FindInLibc(const char* name) {
  for (const link_map* object = _r_debug.r_map; object != nullptr; object = object->l_next) {
    const char* file = FileName(object->l_name);
    if (!Equal(file, "libc.so.6") && !Equal(file, "libdl.so.2")) continue;
    const ElfW(Sym)* symbol = SymbolTable(object->l_ld, object->l_addr).Find(name);
    if (symbol != nullptr) return reinterpret_cast<void*>(object->l_addr + symbol->st_value);
  }
  return nullptr;
}

}  // namespace

extern "C" {
__attribute__((visibility("hidden"))) DlsymFunction graphtap_bind_dlsym() noexcept {
  if (graphtap_real_dlsym == nullptr) {
    graphtap_real_dlsym = reinterpret_cast<DlsymFunction>(FindInLibc("dlsym"));
  }
  return graphtap_real_dlsym;
}
__attribute__((visibility("hidden"))) DlvsymFunction graphtap_bind_dlvsym() noexcept {
  if (graphtap_real_dlvsym == nullptr) {
    graphtap_real_dlvsym = reinterpret_cast<DlvsymFunction>(FindInLibc("dlvsym"));
  }
  return graphtap_real_dlvsym;
}
__attribute__((visibility("hidden"))) bool graphtap_defines_symbol(const dl_phdr_info* object,
                                                                   const char* name) noexcept {
  const ElfW(Dyn)* dynamic = nullptr;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    if (object->dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
    dynamic = reinterpret_cast<const ElfW(Dyn)*>(object->dlpi_addr + object->dlpi_phdr[i].p_vaddr);
  }
  return SymbolTable(dynamic, object->dlpi_addr).Find(name) != nullptr;
}
__attribute__((visibility("hidden"))) void* graphtap_next_symbol(const char* name) noexcept {
  const DlsymFunction real = graphtap_bind_dlsym();
  return real == nullptr ? nullptr : real(RTLD_NEXT, name);
}
}
