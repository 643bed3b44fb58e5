// Code book: the frames of code objects as records: file, function, line. What is copied of a code
// object at its first sight is held against the object each later time, as another one may have
// come to the same address. Owner: the stacks. Threads: one at a time; the calling thread runs the
// code. Failure: nullopt: a code object without names; bad_alloc. No units.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "interpose/python/frames.h"
#include "interpose/python/text.h"
#include "interpose/record/recorder.h"

namespace graphtap::python {

class CodeBook {
 public:
  CodeBook(record::Recorder& recorder, const Layout& layout)
      : recorder_(recorder), layout_(layout) {}

  std::optional<record::Frame> Record(const Frame& frame);

 private:
  // What makes a code object what it is to a stack, where it lies.
  struct Look {
    TextView file, function;
    std::string_view lines;
    std::int32_t first_line = 0;
  };
  struct Code {
    // The same, copied.
    std::string file, function, lines;
    std::uint8_t file_width = 0, function_width = 0;
    std::int32_t first_line = 0;
    record::StringId file_id{}, function_id{};
    std::unordered_map<std::int32_t, std::uint32_t> line_at;  // by offset
  };

  std::optional<Look> LookAt(const void* code) const noexcept;
  static bool Same(const Code& code, const Look& look) noexcept;
  Code CopyOf(const Look& look);

  record::Recorder& recorder_;
  const Layout& layout_;
  std::unordered_map<const void*, Code> codes_;
};

}  // namespace graphtap::python
