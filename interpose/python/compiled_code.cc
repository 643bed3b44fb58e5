#include "interpose/python/compiled_code.h"

#include <set>
#include <utility>

#include "interpose/python/objects.h"

namespace graphtap::python {
namespace {

// "0/1": the attributes of a CompileId, whose own code for this is of Python.
std::optional<std::string> TextOf(const Interpreter& interpreter, void* id) {
  std::string text;
  for (const char* part : {"frame_id", "frame_compile_id"}) {
    const Reference number(interpreter, interpreter.attribute(id, part));
    const auto value = number ? interpreter.number(number.get()) : 0;
    if (interpreter.error() != nullptr) return interpreter.clear_error(), std::nullopt;
    text += (text.empty() ? "" : "/") + std::to_string(value);
  }
  return text;
}

// From the address of each code that was made to the one that it was made of; empty: not there.
Reference Originals(const Interpreter& interpreter) {
  void* table = GlobalOf(interpreter, "torch._dynamo.convert_frame", "orig_code_map");
  const Reference own(interpreter,
                      table == nullptr ? nullptr : interpreter.instance_dict(table, nullptr));
  void* values = own ? interpreter.dict_item(own.get(), "values") : nullptr;
  interpreter.clear_error();
  const bool is_dict = values != nullptr && TypeOf(values) == interpreter.dict_type;
  return Reference::To(interpreter, is_dict ? values : nullptr);
}

// The code that was compiled; empty: Dynamo did not make `code`, or it is not there.
Reference OriginalOf(const Interpreter& interpreter, const void* code) {
  const Reference values = Originals(interpreter);
  if (!values) return {interpreter, nullptr};
  const Reference key(interpreter, interpreter.number_of_pointer(const_cast<void*>(code)));
  void* original = key ? interpreter.dict_find(values.get(), key.get()) : nullptr;
  interpreter.clear_error();
  const bool is_code = original != nullptr && TypeOf(original) == interpreter.code_type;
  return Reference::To(interpreter, is_code ? original : nullptr);
}

// All that was made of one code object.
std::vector<CompiledCode> MadeOf(const Interpreter& interpreter, void* original) {
  std::vector<CompiledCode> all;
  void* list = GlobalOf(interpreter, "torch._C._dynamo.eval_frame", "_debug_get_cache_entry_list");
  if (list == nullptr || TypeOf(list) != interpreter.c_function_type) return all;
  const Reference entries(interpreter, interpreter.call(list, original, nullptr));
  const std::ptrdiff_t count = entries ? interpreter.list_size(entries.get()) : 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    void* entry = interpreter.list_item(entries.get(), i);
    Reference made(interpreter, interpreter.attribute(entry, "code"));
    const Reference id(interpreter, interpreter.attribute(entry, "compile_id"));
    const auto text = id ? TextOf(interpreter, id.get()) : std::nullopt;
    if (made && text) {
      all.push_back({Reference::To(interpreter, original), std::move(made), *text});
    }
  }
  interpreter.clear_error();
  return all;
}

}  // namespace

std::optional<std::string> CompileIdOf(const Interpreter& interpreter, const void* code) {
  const Reference original = OriginalOf(interpreter, code);
  if (!original) return std::nullopt;
  for (CompiledCode& compiled : MadeOf(interpreter, original.get())) {
    if (compiled.made.get() == code) return std::move(compiled.id);
  }
  return std::nullopt;
}

std::vector<CompiledCode> AllCompiledCode(const Interpreter& interpreter) {
  std::vector<CompiledCode> all;
  const Reference values = Originals(interpreter);
  if (!values) return all;
  std::vector<Reference> originals;
  std::set<void*> seen;
  std::ptrdiff_t position = 0;
  void *key = nullptr, *value = nullptr;
  while (interpreter.dict_next(values.get(), &position, &key, &value) != 0) {
    if (TypeOf(value) != interpreter.code_type || !seen.insert(value).second) continue;
    originals.push_back(Reference::To(interpreter, value));
  }
  for (const Reference& original : originals) {
    for (CompiledCode& compiled : MadeOf(interpreter, original.get())) {
      all.push_back(std::move(compiled));
    }
  }
  return all;
}

}  // namespace graphtap::python
