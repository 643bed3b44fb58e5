#include "interpose/python/compiled_files.h"

#include <optional>
#include <string_view>
#include <unordered_set>
#include <utility>

#include "interpose/python/objects.h"
#include "proto/names/generated_name.h"

namespace graphtap::python {
namespace {

// From a function to what it calls: what it has enclosed, and the parts below of PyTorch's objects.
class Calls {
 public:
  explicit Calls(const Interpreter& interpreter) : interpreter_(interpreter) {}

  std::set<std::string> FilesFrom(void* function) {
    constexpr std::size_t kMostObjects = 4096;
    Add(Reference::To(interpreter_, function));
    while (!waiting_.empty() && seen_.size() < kMostObjects) {
      held_.push_back(std::move(waiting_.back()));
      waiting_.pop_back();
      Visit(held_.back().get());
    }
    return std::move(files_);
  }

 private:
  Reference Attribute(void* object, const char* name) {
    Reference value(interpreter_, interpreter_.attribute(object, name));
    if (!value) interpreter_.clear_error();
    return value;
  }

  std::string_view Text(const Reference& text) {
    const char* utf8 = text ? interpreter_.utf8(text.get()) : nullptr;
    if (utf8 == nullptr) interpreter_.clear_error();
    return utf8 == nullptr ? "" : utf8;
  }

  void Add(Reference object) {
    if (object && seen_.insert(object.get()).second) waiting_.push_back(std::move(object));
  }

  void Visit(void* object) {
    const void* type = TypeOf(object);
    if (type == interpreter_.function_type) return VisitFunction(object);
    if (type == interpreter_.method_type) {
      Add(Attribute(object, "__func__"));
      return Add(Attribute(object, "__self__"));
    }
    if (type == interpreter_.c_function_type) return Add(Attribute(object, "__self__"));
    if (interpreter_.is_subtype(type, interpreter_.type_type) != 0) return VisitType(object);
    VisitObject(object);
  }

  void VisitFunction(void* function) {
    const Reference code = Attribute(function, "__code__");
    const Reference file(interpreter_,
                         code ? interpreter_.attribute(code.get(), "co_filename") : nullptr);
    const auto name = names::GeneratedName(Text(file));
    if (!name.empty()) files_.emplace(name);
    const Reference closure = Attribute(function, "__closure__");
    if (!closure || TypeOf(closure.get()) != interpreter_.tuple_type) return;
    const std::ptrdiff_t count = interpreter_.tuple_size(closure.get());
    for (std::ptrdiff_t i = 0; i < count; ++i) {
      // Empty while the function around it has not come so far.
      Add({interpreter_, interpreter_.cell_content(interpreter_.tuple_item(closure.get(), i))});
    }
    interpreter_.clear_error();
  }

  // The class of autograd's function, which AOTAutograd makes for each graph.
  void VisitType(void* type) {
    const char* name = nullptr;
    ReadAt(DirectMemory(), type, kTypeName, &name);
    if (name == nullptr || std::string_view(name) != "CompiledFunction") return;
    for (const char* pass : {"compiled_fw", "compiled_bw"}) Add(Attribute(type, pass));
  }

  // What wraps a function, of PyTorch's own, or with some of its arguments.
  void VisitObject(void* object) {
    const char* type_name = nullptr;
    ReadAt(DirectMemory(), TypeOf(object), kTypeName, &type_name);
    if (type_name != nullptr && std::string_view(type_name) == "functools.partial") {
      return Add(Attribute(object, "func"));
    }
    // A class of another metaclass may have code of the program that answers.
    if (TypeOf(TypeOf(object)) != interpreter_.type_type) return;
    const Reference module = Attribute(TypeOf(object), "__module__");
    if (!Text(module).starts_with("torch.")) return;
    const Reference own(interpreter_, interpreter_.instance_dict(object, nullptr));
    for (const char* part : {"compiled_fn", "current_callable"}) {
      void* found = own ? interpreter_.dict_item(own.get(), part) : nullptr;
      Add(Reference::To(interpreter_, found));
    }
    interpreter_.clear_error();
  }

  const Interpreter& interpreter_;
  std::vector<Reference> waiting_, held_;
  std::unordered_set<void*> seen_;  // held, so that no other object comes to an address
  std::set<std::string> files_;
};

// Of any module: code that Dynamo made has those of the function that it was made of.
void* GlobalOfAny(const Interpreter& interpreter, const char* name) {
  std::ptrdiff_t position = 0;
  void *key = nullptr, *module = nullptr, *found = nullptr;
  while (found == nullptr &&
         interpreter.dict_next(interpreter.modules(), &position, &key, &module) != 0) {
    void* names = interpreter.module_dict(module);
    if (names != nullptr) found = interpreter.dict_item(names, name);
  }
  interpreter.clear_error();
  return found;
}

std::string TextOf(const Interpreter& interpreter, void* object, const char* attribute) {
  const Reference text(interpreter, interpreter.attribute(object, attribute));
  const char* utf8 = text ? interpreter.utf8(text.get()) : nullptr;
  if (utf8 == nullptr) interpreter.clear_error();
  return utf8 == nullptr ? "" : utf8;
}

}  // namespace

std::set<std::string> GeneratedFilesOf(const Interpreter& interpreter,
                                       const CompiledCode& compiled) {
  constexpr std::string_view kCompiled = "__compiled_fn_";
  std::set<std::string> files;
  const Reference names(interpreter, interpreter.attribute(compiled.made.get(), "co_names"));
  const bool is_tuple = names && TypeOf(names.get()) == interpreter.tuple_type;
  const std::ptrdiff_t count = is_tuple ? interpreter.tuple_size(names.get()) : 0;
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    const char* name = interpreter.utf8(interpreter.tuple_item(names.get(), i));
    if (name == nullptr || !std::string_view(name).starts_with(kCompiled)) continue;
    void* function = GlobalOfAny(interpreter, name);
    if (function != nullptr) files.merge(Calls(interpreter).FilesFrom(function));
  }
  interpreter.clear_error();
  return files;
}

void CompiledFiles::Record(const Interpreter& interpreter, const CompiledCode& compiled) {
  const auto files = GeneratedFilesOf(interpreter, compiled);
  void* original = compiled.original.get();
  const char* function = interpreter.minor >= 11 ? "co_qualname" : "co_name";
  const Reference line(interpreter, interpreter.attribute(original, "co_firstlineno"));
  const std::uint64_t first_line = line ? interpreter.number(line.get()) : 0;
  interpreter.clear_error();
  auto& recorder = session_.recorder();
  for (const std::string& name : files) {
    const Entry entry{name, compiled.id, TextOf(interpreter, original, "co_filename"),
                      TextOf(interpreter, original, function), first_line};
    if (!recorded_.insert(entry).second) continue;
    recorder.Append(record::CompiledFile{
        recorder.Intern(name), recorder.Intern(compiled.id), recorder.Intern(std::get<2>(entry)),
        recorder.Intern(std::get<3>(entry)), static_cast<std::uint32_t>(first_line)});
  }
}

// Asked for while the one before went on, it may be too early by now.
void CompiledFiles::Read(const Interpreter& interpreter) noexcept {
  if (share_.TooEarly()) return;
  const std::uint64_t begin = session::Now();
  try {
    for (const CompiledCode& compiled : AllCompiledCode(interpreter)) Record(interpreter, compiled);
    share_.Done(begin);
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

}  // namespace graphtap::python
