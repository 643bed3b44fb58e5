// Real dlsym: glibc's own dlsym and dlvsym. graphtap exports both names itself, so that nobody can
// be asked for them; they are read from the symbol table of libc.so.6 (libdl.so.2 before 2.34).
// Owner: itself. Threads: any; every thread finds the same address. Failure: without glibc there is
// no process; the functions return nullptr then. No units.
#pragma once

struct dl_phdr_info;

extern "C" {
using DlsymFunction = void* (*)(void* handle, const char* name);
using DlvsymFunction = void* (*)(void* handle, const char* name, const char* version);

// Null until bound; hooks/dlsym.S jumps through them.
extern DlsymFunction graphtap_real_dlsym;
extern DlvsymFunction graphtap_real_dlvsym;

// Finds and stores the function, and returns it.
DlsymFunction graphtap_bind_dlsym() noexcept;
DlvsymFunction graphtap_bind_dlvsym() noexcept;

// Does the loaded object (dl_iterate_phdr) define and export the symbol?
bool graphtap_defines_symbol(const dl_phdr_info* object, const char* name) noexcept;

// What a name means behind this library; nullptr: nothing.
void* graphtap_next_symbol(const char* name) noexcept;
}
