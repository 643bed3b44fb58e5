#include "interpose/driver/real_dlsym.h"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>

extern "C" {
__attribute__((visibility("hidden"))) DlsymFunction graphtap_real_dlsym = nullptr;
__attribute__((visibility("hidden"))) DlvsymFunction graphtap_real_dlvsym = nullptr;
}

namespace {

// The dynamic symbols of one loaded object, looked up by its DT_GNU_HASH table.
struct SymbolTable {
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const std::uint32_t* hash = nullptr;

  explicit SymbolTable(const dl_phdr_info& info) {
    const ElfW(Dyn)* entry = nullptr;
    for (int i = 0; i < info.dlpi_phnum; ++i) {
      if (info.dlpi_phdr[i].p_type != PT_DYNAMIC) continue;
      entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + info.dlpi_phdr[i].p_vaddr);
    }
    for (; entry != nullptr && entry->d_tag != DT_NULL; ++entry) {
      const auto address = static_cast<std::uintptr_t>(entry->d_un.d_ptr);
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
    const std::uint32_t* buckets = hash + 4 + bloom_words * (sizeof(ElfW(Addr)) / 4);
    const std::uint32_t* chain = buckets + bucket_count;
    const std::uint32_t start = buckets[value % bucket_count];
    if (start < first) return nullptr;
    for (std::uint32_t i = start;; ++i) {
      const bool same_hash = ((chain[i - first] ^ value) >> 1) == 0;
      if (same_hash && symbols[i].st_shndx != SHN_UNDEF &&
          std::strcmp(strings + symbols[i].st_name, name) == 0) {
        return &symbols[i];
      }
      if ((chain[i - first] & 1) != 0) return nullptr;
    }
  }
};

struct Search {
  const char* name;
  void* found;
};

int Visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  if (info->dlpi_name == nullptr) return 0;
  const char* slash = std::strrchr(info->dlpi_name, '/');
  const char* file = slash == nullptr ? info->dlpi_name : slash + 1;
  if (std::strcmp(file, "libc.so.6") != 0 && std::strcmp(file, "libdl.so.2") != 0) return 0;
  const ElfW(Sym)* symbol = SymbolTable(*info).Find(search->name);
  if (symbol == nullptr) return 0;
  search->found = reinterpret_cast<void*>(info->dlpi_addr + symbol->st_value);
  return 1;
}

void* FindInLibc(const char* name) {
  Search search{name, nullptr};
  dl_iterate_phdr(Visit, &search);
  return search.found;
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
}
