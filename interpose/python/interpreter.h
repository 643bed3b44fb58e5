// Interpreter: the functions of CPython that the process has, found by name: it may be in the
// program itself or in a library of it. Nothing of it is linked or opened. Owner: the process.
// Threads: any. Failure: nullopt: there is none, or an older one than 3.9. No units.
#pragma once

#include <optional>

namespace graphtap::python {

struct Interpreter {
  // Without the GIL.
  const char* (*version)() = nullptr;
  int (*is_initialized)() = nullptr;
  void* (*state_of_thread)() = nullptr;  // nullptr: Python never ran on this thread
  void* (*main_interpreter)() = nullptr;
  int (*add_pending_call)(int (*call)(void*), void* argument) = nullptr;
  const void* code_type = nullptr;
  // With it.
  void* (*current_frame)() = nullptr;  // borrowed
  void* (*frame_back)(void*) = nullptr;
  void* (*frame_code)(void*) = nullptr;
  int (*frame_line)(void*) = nullptr;
  void* (*attribute)(void*, const char*) = nullptr;
  const char* (*utf8)(void*) = nullptr;  // borrowed
  void (*release)(void*) = nullptr;
  void (*clear_error)() = nullptr;

  unsigned minor = 0;          // of 3
  bool free_threaded = false;  // it has no GIL
};

std::optional<Interpreter> FindInterpreter() noexcept;

}  // namespace graphtap::python
