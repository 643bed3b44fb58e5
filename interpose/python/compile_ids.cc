#include "interpose/python/compile_ids.h"

#include <utility>

#include "interpose/python/objects.h"
#include "interpose/python/reference.h"

namespace graphtap::python {
namespace {

// So many captures wait for a main thread that runs no Python; those that begin later have no id.
constexpr std::size_t kMostBegun = 1024;

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

// The code that was compiled; nullptr: torch.compile did not make `code`, or it is not there.
void* OriginalOf(const Interpreter& interpreter, const void* code) {
  void* table = GlobalOf(interpreter, "torch._dynamo.convert_frame", "orig_code_map");
  if (table == nullptr) return nullptr;
  const Reference own(interpreter, interpreter.instance_dict(table, nullptr));
  void* values = own ? interpreter.dict_item(own.get(), "values") : nullptr;
  if (values == nullptr || TypeOf(values) != interpreter.dict_type) {
    return interpreter.clear_error(), nullptr;
  }
  const Reference key(interpreter, interpreter.number_of_pointer(const_cast<void*>(code)));
  void* original = key ? interpreter.dict_find(values, key.get()) : nullptr;
  interpreter.clear_error();
  const bool is_code = original != nullptr && TypeOf(original) == interpreter.code_type;
  return is_code ? original : nullptr;
}

}  // namespace

std::optional<std::string> CompileIdOf(const Interpreter& interpreter, const void* code) {
  const Reference original = Reference::To(interpreter, OriginalOf(interpreter, code));
  if (!original) return std::nullopt;
  void* list = GlobalOf(interpreter, "torch._C._dynamo.eval_frame", "_debug_get_cache_entry_list");
  if (list == nullptr || TypeOf(list) != interpreter.c_function_type) return std::nullopt;
  const Reference entries(interpreter, interpreter.call(list, original.get(), nullptr));
  if (!entries) return interpreter.clear_error(), std::nullopt;
  const std::ptrdiff_t count = interpreter.list_size(entries.get());
  for (std::ptrdiff_t i = 0; i < count; ++i) {
    void* entry = interpreter.list_item(entries.get(), i);
    const Reference made(interpreter, interpreter.attribute(entry, "code"));
    if (made.get() != code) continue;
    const Reference id(interpreter, interpreter.attribute(entry, "compile_id"));
    if (id) return TextOf(interpreter, id.get());
  }
  return interpreter.clear_error(), std::nullopt;
}

void CompileIds::OnCaptureBegin(std::uint32_t capture, std::vector<const void*> codes) {
  if (codes.empty()) return;
  const std::lock_guard lock(mutex_);
  if (begun_.size() < kMostBegun) begun_.push_back({capture, std::move(codes)});
}

void CompileIds::Ask(const Interpreter& interpreter) noexcept {
  {
    const std::lock_guard lock(mutex_);
    if (begun_.empty()) return;
  }
  reading_.Ask(interpreter);
}

void CompileIds::Read(const Interpreter& interpreter) noexcept {
  try {
    std::vector<Begun> begun;
    {
      const std::lock_guard lock(mutex_);
      begun.swap(begun_);
    }
    auto& recorder = session_.recorder();
    for (const Begun& capture : begun) {
      for (const void* code : capture.codes) {
        const auto id = CompileIdOf(interpreter, code);
        if (!id) continue;
        recorder.Append(record::CompiledRegion{capture.capture, recorder.Intern(*id)});
        break;
      }
    }
  } catch (...) {
    session_.recorder().Count(Loss::internal);
  }
}

}  // namespace graphtap::python
