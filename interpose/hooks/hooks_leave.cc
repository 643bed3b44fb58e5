// The functions of glibc by which a process leaves without its exit handlers. As in hook.h, but
// what is to be done is done first: afterwards there is nobody to do it. Signal handlers and
// children of vfork call these too, so nothing here allocates, and nothing is looked up at that
// moment.
#include <errno.h>
#include <stdarg.h>
#include <unistd.h>

#include <cstddef>

#include "interpose/driver/real_dlsym.h"
#include "interpose/observer/observer.h"

using graphtap::observer::Observer;

#define GRAPHTAP_LIBC_HOOK extern "C" __attribute__((visibility("default")))

namespace {

// What comes behind this library: glibc's, or that of another preload.
template <typename Function>
struct Next {
  const char* name;
  Function function = nullptr;

  Function Get() {
    if (function == nullptr) function = reinterpret_cast<Function>(graphtap_next_symbol(name));
    return function;
  }
};

using Exit = void (*)(int);
using ExecV = int (*)(const char*, char* const*);
using ExecVE = int (*)(const char*, char* const*, char* const*);
using FExecVE = int (*)(int, char* const*, char* const*);
using ExecVEAt = int (*)(int, const char*, char* const*, char* const*, int);

Next<Exit> g_exit{"_exit"}, g_Exit{"_Exit"}, g_quick_exit{"quick_exit"};
Next<ExecV> g_execv{"execv"}, g_execvp{"execvp"};
Next<ExecVE> g_execve{"execve"}, g_execvpe{"execvpe"};
Next<FExecVE> g_fexecve{"fexecve"};
Next<ExecVEAt> g_execveat{"execveat"};

__attribute__((constructor)) void Bind() {
  for (auto* next : {&g_exit, &g_Exit, &g_quick_exit}) next->Get();
  for (auto* next : {&g_execv, &g_execvp}) next->Get();
  for (auto* next : {&g_execve, &g_execvpe}) next->Get();
  g_fexecve.Get();
  g_execveat.Get();
}

[[noreturn]] void Leave(Next<Exit>& next, int status) {
  Observer::BeforeExit(status);
  if (const Exit exit = next.Get()) exit(status);
  for (;;) __builtin_trap();
}

template <typename Function, typename... Arguments>
int Exec(Next<Function>& next, Arguments... arguments) {
  const Function exec = next.Get();
  if (exec == nullptr) {
    errno = ENOSYS;
    return -1;
  }
  Observer::BeforeExec();
  const int result = exec(arguments...);
  const int error = errno;
  Observer::OnExecFailed();
  errno = error;
  return result;
}

}  // namespace

GRAPHTAP_LIBC_HOOK void _exit(int status) { Leave(g_exit, status); }
GRAPHTAP_LIBC_HOOK void _Exit(int status) noexcept { Leave(g_Exit, status); }

GRAPHTAP_LIBC_HOOK void quick_exit(int status) noexcept {
  Observer::NoteQuickExit(status);
  if (const Exit exit = g_quick_exit.Get()) exit(status);
  for (;;) __builtin_trap();
}

GRAPHTAP_LIBC_HOOK int execve(const char* path, char* const* arguments,
                              char* const* environment) noexcept {
  return Exec(g_execve, path, arguments, environment);
}

GRAPHTAP_LIBC_HOOK int execv(const char* path, char* const* arguments) noexcept {
  return Exec(g_execv, path, arguments);
}

GRAPHTAP_LIBC_HOOK int execvp(const char* file, char* const* arguments) noexcept {
  return Exec(g_execvp, file, arguments);
}

GRAPHTAP_LIBC_HOOK int execvpe(const char* file, char* const* arguments,
                               char* const* environment) noexcept {
  return Exec(g_execvpe, file, arguments, environment);
}

GRAPHTAP_LIBC_HOOK int fexecve(int file, char* const* arguments,
                               char* const* environment) noexcept {
  return Exec(g_fexecve, file, arguments, environment);
}

GRAPHTAP_LIBC_HOOK int execveat(int folder, const char* path, char* const* arguments,
                                char* const* environment, int flags) noexcept {
  return Exec(g_execveat, folder, path, arguments, environment, flags);
}

// The list of arguments as an array on the stack, as the others take it; behind it, of execle, is
// the environment.
#define GRAPHTAP_TAKE_ARGUMENTS(first)                                                   \
  va_list list;                                                                          \
  va_start(list, first);                                                                 \
  std::size_t count = 1;                                                                 \
  while (va_arg(list, const char*) != nullptr) ++count;                                  \
  va_end(list);                                                                          \
  auto** arguments = static_cast<char**>(__builtin_alloca((count + 1) * sizeof(char*))); \
  va_start(list, first);                                                                 \
  arguments[0] = const_cast<char*>(first);                                               \
  for (std::size_t i = 1; i <= count; ++i) arguments[i] = va_arg(list, char*);

GRAPHTAP_LIBC_HOOK int execl(const char* path, const char* first, ...) noexcept {
  GRAPHTAP_TAKE_ARGUMENTS(first)
  va_end(list);
  return Exec(g_execv, path, arguments);
}

GRAPHTAP_LIBC_HOOK int execlp(const char* file, const char* first, ...) noexcept {
  GRAPHTAP_TAKE_ARGUMENTS(first)
  va_end(list);
  return Exec(g_execvp, file, arguments);
}

GRAPHTAP_LIBC_HOOK int execle(const char* path, const char* first, ...) noexcept {
  GRAPHTAP_TAKE_ARGUMENTS(first)
  char* const* environment = va_arg(list, char* const*);
  va_end(list);
  return Exec(g_execve, path, arguments, environment);
}
