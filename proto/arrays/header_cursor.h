// HeaderCursor: walks over the text of a header and keeps the first thing that is wrong with it.
// Owner: a parser, on its stack; the text must outlive it. Threads: one. Failure: a method that
// returns bool gives false; Fail keeps the first message. Units: bytes from the beginning of the
// text; `base` is where that lies in the file.
#pragma once

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "proto/arrays/array.h"

namespace graphtap::arrays {

class HeaderCursor {
 public:
  HeaderCursor(std::string_view text, std::uint64_t base, std::string* error)
      : text_(text), base_(base), error_(error) {}

  bool AtEnd() const { return at_ == text_.size(); }
  // '\0' at the end.
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  char Next() { return AtEnd() ? '\0' : text_[at_++]; }

  void SkipSpaces() {
    while (Peek() == ' ' || Peek() == '\t' || Peek() == '\n' || Peek() == '\r') ++at_;
  }

  // Steps over spaces, then over `token` if it is next.
  bool Take(std::string_view token) {
    SkipSpaces();
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  // Steps up to the next `c`, or to the end.
  std::string_view TakeUntil(char c) {
    const auto rest = text_.substr(at_);
    const auto taken = rest.substr(0, rest.find(c));
    at_ += taken.size();
    return taken;
  }

  bool Expect(std::string_view token) {
    return Take(token) || Fail("expected " + std::string(token));
  }

  bool TakeNumber(std::uint64_t* value) {
    SkipSpaces();
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), *value);
    if (end == begin || error != std::errc()) return Fail("expected a number below 2^64");
    at_ += static_cast<std::size_t>(end - begin);
    return true;
  }

  // Numbers with commas between, up to `close`, behind which the cursor is left. `trailing`: a
  // comma may stand behind the last.
  bool TakeNumbers(char close, bool trailing, std::vector<std::uint64_t>* numbers) {
    const std::string_view end(&close, 1);
    if (Take(end)) return true;
    for (;;) {
      if (numbers->size() == kMostAxes) return Fail("more than 64 numbers");
      if (!TakeNumber(&numbers->emplace_back())) return false;
      if (Take(end)) return true;
      if (!Expect(",")) return false;
      if (trailing && Take(end)) return true;
    }
  }

  bool Fail(const std::string& message) {
    if (error_->empty()) {
      *error_ = "byte " + std::to_string(base_ + at_) + ": " + message;
    }
    return false;
  }

 private:
  std::string_view text_;
  std::uint64_t base_;
  std::string* error_;
  std::size_t at_ = 0;
};

}  // namespace graphtap::arrays
