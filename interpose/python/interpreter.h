// Interpreter: the functions of CPython that the process has, found by name: it may be in the
// program itself or in a library of it. Nothing of it is linked or opened. Owner: the process.
// Threads: any. Failure: nullopt: there is none, or an older one than 3.9. No units.
#pragma once

#include <cstddef>
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
  void (*acquire)(void*) = nullptr;
  void (*release)(void*) = nullptr;
  void* (*error)() = nullptr;
  void (*clear_error)() = nullptr;

  void* (*modules)() = nullptr;  // borrowed, as are the next three
  void* (*module_dict)(void*) = nullptr;
  void* (*dict_item)(void*, const char*) = nullptr;
  void* (*dict_find)(void*, void*) = nullptr;
  int (*dict_next)(void*, std::ptrdiff_t*, void**, void**) = nullptr;
  void* (*instance_dict)(void*, void*) = nullptr;
  std::ptrdiff_t (*list_size)(void*) = nullptr;
  void* (*list_item)(void*, std::ptrdiff_t) = nullptr;  // borrowed
  std::ptrdiff_t (*tuple_size)(void*) = nullptr;
  void* (*tuple_item)(void*, std::ptrdiff_t) = nullptr;  // borrowed
  void* (*cell_content)(void*) = nullptr;
  int (*is_subtype)(const void*, const void*) = nullptr;
  void* (*call)(void*, ...) = nullptr;  // with arguments until nullptr
  unsigned long long (*number)(void*) = nullptr;
  void* (*number_of_pointer)(void*) = nullptr;  // as id()
  const void *type_type = nullptr, *dict_type = nullptr, *ordered_dict_type = nullptr,
             *c_function_type = nullptr, *function_type = nullptr, *method_type = nullptr,
             *tuple_type = nullptr;

  unsigned minor = 0;          // of 3
  bool free_threaded = false;  // it has no GIL
};

std::optional<Interpreter> FindInterpreter() noexcept;

}  // namespace graphtap::python
