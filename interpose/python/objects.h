// Objects: what is asked of any object of the interpreter. Owner: the interpreter; all is borrowed.
// Threads: one that holds the GIL. Failure: nullptr; errors of the interpreter are cleared. No
// units.
#pragma once

#include "interpose/python/interpreter.h"
#include "interpose/python/layout.h"
#include "interpose/python/memory.h"

namespace graphtap::python {

inline void* TypeOf(const void* object) {
  void* type = nullptr;
  ReadAt(DirectMemory(), object, kObjectType, &type);
  return type;
}

// A name of a module. What is not imported is not imported now.
inline void* GlobalOf(const Interpreter& interpreter, const char* module, const char* name) {
  void* found = interpreter.dict_item(interpreter.modules(), module);
  void* names = found == nullptr ? nullptr : interpreter.module_dict(found);
  if (names != nullptr) return interpreter.dict_item(names, name);
  interpreter.clear_error();
  return nullptr;
}

}  // namespace graphtap::python
