#include "interpose/python/modules.h"

#include "interpose/python/objects.h"

namespace graphtap::python {
namespace {

enum Method : std::size_t { kDataPointer, kElements, kElementBytes };

}  // namespace

Reference Modules::TypeIn(const char* module, const char* name) {
  void* found = GlobalOf(interpreter_, module, name);
  const bool is_type =
      found != nullptr && interpreter_.is_subtype(TypeOf(found), interpreter_.type_type) != 0;
  return Reference::To(interpreter_, is_type ? found : nullptr);
}

// In a block that changes what PyTorch's functions do, they would call code of the job.
bool Modules::FunctionsAreReplaced() {
  void* length = GlobalOf(interpreter_, "torch._C", "_len_torch_function_stack");
  if (length == nullptr) return false;
  const Reference count(interpreter_, interpreter_.call(length, nullptr));
  const bool none = count && interpreter_.number(count.get()) == 0;
  interpreter_.clear_error();
  return !none;
}

bool Modules::Find() {
  // A build that keeps lists of all objects has the types of objects at another place.
  if (TypeOf(interpreter_.type_type) != interpreter_.type_type) return false;
  types_.push_back(TypeIn("torch.nn.modules.module", "Module"));
  Reference base = TypeIn("torch._C", "TensorBase");
  if (!types_.front() || !base || FunctionsAreReplaced()) return false;
  for (const char* name : {"data_ptr", "numel", "element_size"}) {
    methods_.emplace_back(interpreter_, interpreter_.attribute(base.get(), name));
    if (!methods_.back()) return interpreter_.clear_error(), false;
  }
  const std::pair<const char*, const char*> tensors[] = {{"torch._tensor", "Tensor"},
                                                         {"torch.nn.parameter", "Parameter"},
                                                         {"torch.nn.parameter", "Buffer"}};
  for (const auto& [module, name] : tensors) {
    Reference type = TypeIn(module, name);
    if (type && interpreter_.is_subtype(type.get(), base.get()) != 0) {
      types_.push_back(std::move(type));
    }
  }
  return true;
}

bool Modules::IsModule(void* object) {
  void* type = TypeOf(object);
  const auto [found, first] = is_module_.try_emplace(type);
  if (first) found->second = interpreter_.is_subtype(type, types_.front().get()) != 0;
  return found->second;
}

void Modules::Collect(std::vector<Reference>* modules, void* object) {
  if (IsModule(object)) modules->push_back(Reference::To(interpreter_, object));
}

std::vector<Reference> Modules::Alive() {
  std::vector<Reference> modules;
  // Only the interpreter's own function, which anyone may have replaced.
  void* list_all = GlobalOf(interpreter_, "gc", "get_objects");
  if (list_all == nullptr || TypeOf(list_all) != interpreter_.c_function_type) return modules;
  const Reference all(interpreter_, interpreter_.call(list_all, nullptr));
  if (!all) return interpreter_.clear_error(), std::move(modules);
  const std::ptrdiff_t count = interpreter_.list_size(all.get());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    Collect(&modules, interpreter_.list_item(all.get(), i));
  }
  return modules;
}

Modules::Entries Modules::EntriesOf(void* module, const char* dictionary) {
  Entries entries;
  const Reference own(interpreter_, interpreter_.instance_dict(module, nullptr));
  if (!own) return interpreter_.clear_error(), std::move(entries);
  void* found = interpreter_.dict_item(own.get(), dictionary);
  void* type = found == nullptr ? nullptr : TypeOf(found);
  if (type != interpreter_.dict_type && type != interpreter_.ordered_dict_type) return entries;
  std::ptrdiff_t position = 0;
  void *key = nullptr, *value = nullptr;
  while (interpreter_.dict_next(found, &position, &key, &value) != 0) {
    const char* name = interpreter_.utf8(key);
    if (name == nullptr) {
      interpreter_.clear_error();
    } else {
      entries.emplace_back(name, Reference::To(interpreter_, value));
    }
  }
  return entries;
}

std::string Modules::TypeNameOf(void* object) {
  // Of a type's own: no code of the job has a part in it.
  const char* name = nullptr;
  ReadAt(DirectMemory(), TypeOf(object), kTypeName, &name);
  const std::string full = name == nullptr ? "?" : name;
  return full.substr(full.rfind('.') + 1);
}

std::optional<std::uint64_t> Modules::Ask(const Reference& method, void* object) {
  const Reference answer(interpreter_, interpreter_.call(method.get(), object, nullptr));
  const std::uint64_t number = answer ? interpreter_.number(answer.get()) : 0;
  if (answer && interpreter_.error() == nullptr) return number;
  interpreter_.clear_error();
  return std::nullopt;
}

std::optional<Modules::Memory> Modules::MemoryOf(void* tensor) {
  void* type = TypeOf(tensor);
  bool own = false;
  for (std::size_t i = 1; i < types_.size(); ++i) own = own || types_[i].get() == type;
  if (!own) return std::nullopt;
  const auto address = Ask(methods_[kDataPointer], tensor);
  if (!address || *address == 0) return std::nullopt;
  const auto elements = Ask(methods_[kElements], tensor);
  const auto element_bytes = Ask(methods_[kElementBytes], tensor);
  if (!elements || !element_bytes) return std::nullopt;
  return Memory{*address, *elements * *element_bytes};
}

}  // namespace graphtap::python
