// Another preload that hooks what graphtap hooks: dlsym, a driver call, malloc, execve and _exit.
// Its own hooks do nothing but count, and it says at the end what came by.
#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<int> g_dlsym{0}, g_launches{0}, g_mallocs{0};

using Dlsym = void* (*)(void*, const char*);
Dlsym RealDlsym() {
  // The way that such libraries take; the version is that of glibc 2.34 and newer.
  static const auto real = reinterpret_cast<Dlsym>(dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34"));
  return real;
}

template <typename Function>
Function Next(const char* name) {
  return reinterpret_cast<Function>(RealDlsym()(RTLD_NEXT, name));
}

__attribute__((destructor)) void Say() {
  std::fprintf(stderr, "hooks_too: dlsym %s, launches %s, malloc %s\n", g_dlsym > 0 ? "yes" : "no",
               g_launches > 0 ? "yes" : "no", g_mallocs > 0 ? "yes" : "no");
}

}  // namespace

extern "C" {

void* dlsym(void* handle, const char* name) {
  ++g_dlsym;
  return RealDlsym()(handle, name);
}

void* malloc(std::size_t bytes) {
  static const auto real =
      reinterpret_cast<void* (*)(std::size_t)>(dlvsym(RTLD_NEXT, "malloc", "GLIBC_2.2.5"));
  ++g_mallocs;
  return real(bytes);
}

void _exit(int status) {
  Next<void (*)(int)>("_exit")(status);
  for (;;) {
  }
}

int cuGraphLaunch(void* executable, void* stream) {
  ++g_launches;
  return Next<int (*)(void*, void*)>("cuGraphLaunch")(executable, stream);
}

}  // extern "C"
