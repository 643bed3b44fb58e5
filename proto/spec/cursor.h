// Cursor: walks over a text of the grammar and says where and why it is wrong.
// Owner: a parser, on its stack; the text must outlive it. Threads: one. Failure: a method that
// returns bool gives false after Fail, which keeps the first message.
// Units: bytes from the beginning of the text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace graphtap::spec {

bool IsSpace(char c) noexcept;

// What a text may hold between quotes only, or has a meaning of its own: , ; = " and space.
bool IsDelimiter(char c) noexcept;

class Cursor {
 public:
  // On failure *error is the message.
  Cursor(std::string_view text, std::string* error) : text_(text), error_(error) {}

  std::size_t at() const { return at_; }
  bool AtEnd() const { return at_ == text_.size(); }
  // '\0' at the end.
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  std::string_view From(std::size_t begin) const { return text_.substr(begin, at_ - begin); }
  void MoveTo(std::size_t at) { at_ = at; }

  void SkipSpaces();
  // Steps over `c` if it is next.
  bool Take(char c);
  // Steps over letters, digits and _.
  std::string_view TakeWord();
  // Steps over all but delimiters, and `also`.
  std::string_view TakeBare(char also = '\0');
  // Steps over "…", with \" and \\ inside.
  bool TakeQuoted(std::string* value);
  // Digits, then nothing, K, M or G (1024); `what` says what is allowed.
  bool TakeNumber(const char* what, std::uint64_t low, std::uint64_t* value);
  // Digits with or without a fraction, more than 0 and at most `high`.
  bool TakeFraction(const char* what, double high, double* value);

  // "'x'", "the end": what is next, for messages.
  std::string Next() const;

  bool Fail(std::size_t place, const std::string& message);

 private:
  // Letters, digits and periods.
  std::string_view NumberToken() const;

  std::string_view text_;
  std::string* error_;
  std::size_t at_ = 0;
};

// A word of the user in a message: in quotes, without control characters, cut if it is long.
std::string Quoted(std::string_view word);

}  // namespace graphtap::spec
