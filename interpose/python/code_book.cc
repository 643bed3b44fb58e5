#include "interpose/python/code_book.h"

namespace graphtap::python {
namespace {

// A program that makes code again and again begins a new book now and then.
constexpr std::size_t kMostCodes = 1 << 16;

}  // namespace

std::optional<CodeBook::Look> CodeBook::LookAt(const void* code) const noexcept {
  const DirectMemory memory;
  const void *file = nullptr, *function = nullptr, *lines = nullptr;
  Look look;
  ReadAt(memory, code, layout_.code_file, &file);
  ReadAt(memory, code, layout_.code_function, &function);
  ReadAt(memory, code, layout_.code_lines, &lines);
  ReadAt(memory, code, layout_.code_first_line, &look.first_line);
  const auto file_text = ViewText(memory, layout_, file);
  const auto function_text = ViewText(memory, layout_, function);
  const auto table = ViewBytes(memory, lines);
  if (!file_text || !function_text || !table) return std::nullopt;
  look.file = *file_text;
  look.function = *function_text;
  look.lines = *table;
  return look;
}

bool CodeBook::Same(const Code& code, const Look& look) noexcept {
  return code.first_line == look.first_line && code.file_width == look.file.width &&
         code.function_width == look.function.width && code.lines == look.lines &&
         code.function == look.function.raw() && code.file == look.file.raw();
}

CodeBook::Code CodeBook::CopyOf(const Look& look) {
  Code code;
  code.file = look.file.raw();
  code.function = look.function.raw();
  code.lines = look.lines;
  code.file_width = look.file.width;
  code.function_width = look.function.width;
  code.first_line = look.first_line;
  code.file_id = recorder_.Intern(Utf8(code.file, code.file_width));
  code.function_id = recorder_.Intern(Utf8(code.function, code.function_width));
  return code;
}

std::optional<record::Frame> CodeBook::Record(const Frame& frame) {
  const auto look = LookAt(frame.code);
  if (!look) return std::nullopt;
  if (codes_.size() >= kMostCodes) codes_.clear();
  const auto [found, first] = codes_.try_emplace(frame.code);
  Code& code = found->second;
  if (first || !Same(code, *look)) code = CopyOf(*look);
  const auto [line, first_here] = code.line_at.try_emplace(frame.offset);
  if (first_here) {
    const auto at = LineAt(layout_.lines, code.lines, code.first_line, frame.offset);
    line->second = at && *at > 0 ? static_cast<std::uint32_t>(*at) : 0;
  }
  return record::Frame{code.file_id, code.function_id, line->second};
}

}  // namespace graphtap::python
