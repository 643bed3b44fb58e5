#include "interpose/python/self_test.h"

#include <array>
#include <string>

#include "interpose/python/frames.h"
#include "interpose/python/reference.h"
#include "interpose/python/text.h"

namespace graphtap::python {
namespace {

class Test {
 public:
  Test(const Interpreter& interpreter, const Layout& layout)
      : interpreter_(interpreter), layout_(layout) {}

  Verdict Run() {
    void* frame = interpreter_.current_frame();
    if (frame == nullptr || !memory_.ok()) return Verdict::kNotNow;
    std::array<Frame, 64> frames;
    const auto walked =
        Walk(memory_, layout_, interpreter_.code_type, interpreter_.state_of_thread(), frames);
    if (!walked || walked->count == 0) return Verdict::kDiffers;
    for (std::size_t i = 0; i < walked->count; ++i) {
      // The first one is borrowed.
      Reference own(interpreter_, i == 0 ? nullptr : frame);
      if (frame == nullptr || !Same(frames[i], frame)) return Verdict::kDiffers;
      frame = interpreter_.frame_back(frame);
    }
    const Reference rest(interpreter_, frame);
    return (rest.get() != nullptr) == walked->cut ? Verdict::kFits : Verdict::kDiffers;
  }

 private:
  bool Same(const Frame& walked, void* frame) {
    const Reference code(interpreter_, interpreter_.frame_code(frame));
    if (walked.code != code.get()) return false;
    const char* function = layout_.minor >= 11 ? "co_qualname" : "co_name";
    return LineOf(walked) == interpreter_.frame_line(frame) &&
           SameText(code.get(), "co_filename", layout_.code_file) &&
           SameText(code.get(), function, layout_.code_function);
  }

  int LineOf(const Frame& walked) {
    const void* lines = nullptr;
    std::int32_t first = 0;
    if (!ReadAt(memory_, walked.code, layout_.code_lines, &lines) ||
        !ReadAt(memory_, walked.code, layout_.code_first_line, &first)) {
      return -1;
    }
    std::string table;
    const auto view = ViewBytes(memory_, lines);
    if (!view || !Copy(memory_, *view, &table)) return -1;
    return LineAt(layout_.lines, table, first, walked.offset).value_or(-1);
  }

  bool SameText(void* code, const char* name, std::size_t offset) {
    const void* object = nullptr;
    const Reference expected(interpreter_, interpreter_.attribute(code, name));
    if (!ReadAt(memory_, code, offset, &object) || object != expected.get()) return false;
    std::string raw;
    const auto view = ViewText(memory_, layout_, object);
    if (!view || !Copy(memory_, view->raw(), &raw)) return false;
    const char* text = interpreter_.utf8(expected.get());
    if (text != nullptr) return Utf8(raw, view->width) == text;
    interpreter_.clear_error();  // it has what stands for bytes
    return true;
  }

  const Interpreter& interpreter_;
  const Layout& layout_;
  CheckedMemory memory_;
};

}  // namespace

Verdict TestLayout(const Interpreter& interpreter, const Layout& layout) noexcept try {
  return Test(interpreter, layout).Run();
} catch (...) {
  return Verdict::kNotNow;  // no memory
}

}  // namespace graphtap::python
