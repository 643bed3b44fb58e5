#include "interpose/python/interpreter.h"

#include <cstdlib>
#include <cstring>

#include "interpose/driver/library.h"

namespace graphtap::python {
namespace {

// Keeps looking names up in one place, and whether all were there.
class Names {
 public:
  explicit Names(void* library) : library_(library) {}

  template <typename Target>
  void Find(const char* name, Target* target) noexcept {
    *target = reinterpret_cast<Target>(driver::FindSymbol(library_, name));
    complete_ = complete_ && *target != nullptr;
  }
  bool complete() const { return complete_; }

 private:
  void* library_;
  bool complete_ = true;
};

// What is used with the GIL.
void FindObjects(Names& names, Interpreter* found) noexcept {
  names.Find("PyEval_GetFrame", &found->current_frame);
  names.Find("PyFrame_GetBack", &found->frame_back);
  names.Find("PyFrame_GetCode", &found->frame_code);
  names.Find("PyFrame_GetLineNumber", &found->frame_line);
  names.Find("PyObject_GetAttrString", &found->attribute);
  names.Find("PyUnicode_AsUTF8", &found->utf8);
  names.Find("Py_IncRef", &found->acquire);
  names.Find("Py_DecRef", &found->release);
  names.Find("PyErr_Clear", &found->clear_error);
  names.Find("PyErr_Occurred", &found->error);
  names.Find("PyImport_GetModuleDict", &found->modules);
  names.Find("PyModule_GetDict", &found->module_dict);
  names.Find("PyDict_GetItemString", &found->dict_item);
  names.Find("PyDict_GetItem", &found->dict_find);
  names.Find("PyDict_Next", &found->dict_next);
  names.Find("PyObject_GenericGetDict", &found->instance_dict);
  names.Find("PyList_Size", &found->list_size);
  names.Find("PyList_GetItem", &found->list_item);
  names.Find("PyTuple_Size", &found->tuple_size);
  names.Find("PyTuple_GetItem", &found->tuple_item);
  names.Find("PyCell_Get", &found->cell_content);
  names.Find("PyType_IsSubtype", &found->is_subtype);
  names.Find("PyObject_CallFunctionObjArgs", &found->call);
  names.Find("PyLong_AsUnsignedLongLong", &found->number);
  names.Find("PyLong_FromVoidPtr", &found->number_of_pointer);
  names.Find("PyType_Type", &found->type_type);
  names.Find("PyDict_Type", &found->dict_type);
  names.Find("PyODict_Type", &found->ordered_dict_type);
  names.Find("PyCFunction_Type", &found->c_function_type);
  names.Find("PyFunction_Type", &found->function_type);
  names.Find("PyMethod_Type", &found->method_type);
  names.Find("PyTuple_Type", &found->tuple_type);
}

}  // namespace

std::optional<Interpreter> FindInterpreter() noexcept {
  const auto library = driver::FindDefining("PyGILState_GetThisThreadState");
  if (!library) return std::nullopt;
  Interpreter found;
  Names names(*library);
  names.Find("Py_GetVersion", &found.version);
  names.Find("Py_IsInitialized", &found.is_initialized);
  names.Find("PyGILState_GetThisThreadState", &found.state_of_thread);
  names.Find("PyInterpreterState_Main", &found.main_interpreter);
  names.Find("Py_AddPendingCall", &found.add_pending_call);
  names.Find("PyCode_Type", &found.code_type);
  FindObjects(names, &found);
  if (!names.complete()) return std::nullopt;
  const char* version = found.version();
  if (std::strncmp(version, "3.", 2) != 0) return std::nullopt;
  found.minor = static_cast<unsigned>(std::strtoul(version + 2, nullptr, 10));
  found.free_threaded = std::strstr(version, "free-threading") != nullptr;
  return found;
}

}  // namespace graphtap::python
