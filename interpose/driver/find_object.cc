// GCC 12's unwinder asks glibc 2.35's _dl_find_object for the object around an address. This hidden
// stand-in answers by dl_iterate_phdr, so that the library runs on glibc 2.34. Exceptions are
// thrown only inside graphtap and rarely: speed is of no concern.
#include <dlfcn.h>
#include <link.h>

#include <cstdint>

namespace {

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int Visit(dl_phdr_info* info, std::size_t, void* data) {
  auto* search = static_cast<Search*>(data);
  const ElfW(Phdr)* unwind_table = nullptr;
  std::uintptr_t low = UINTPTR_MAX, high = 0;
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_GNU_EH_FRAME) unwind_table = &header;
    if (header.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    const std::uintptr_t end = begin + header.p_memsz;
    low = begin < low ? begin : low;
    high = end > high ? end : high;
    inside = inside || (search->address >= begin && search->address < end);
  }
  if (!inside || unwind_table == nullptr) return 0;
  search->result->dlfo_flags = 0;
  search->result->dlfo_map_start = reinterpret_cast<void*>(low);
  search->result->dlfo_map_end = reinterpret_cast<void*>(high);
  search->result->dlfo_link_map = nullptr;
  search->result->dlfo_eh_frame = reinterpret_cast<void*>(info->dlpi_addr + unwind_table->p_vaddr);
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(
    void* address, struct dl_find_object* result) noexcept {
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return dl_iterate_phdr(Visit, &search) == 1 ? 0 : -1;
}
