#include "proto/spec/cursor.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "proto/spec/caret.h"

namespace graphtap::spec {
namespace {

bool IsWord(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

}  // namespace

bool IsSpace(char c) noexcept {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool IsDelimiter(char c) noexcept {
  return c == ',' || c == ';' || c == '=' || c == '"' || IsSpace(c);
}

void Cursor::SkipSpaces() {
  while (!AtEnd() && IsSpace(Peek())) ++at_;
}

bool Cursor::Take(char c) {
  if (AtEnd() || Peek() != c) return false;
  ++at_;
  return true;
}

std::string_view Cursor::TakeWord() {
  const std::size_t begin = at_;
  while (!AtEnd() && IsWord(Peek())) ++at_;
  return From(begin);
}

std::string_view Cursor::TakeBare(char also) {
  const std::size_t begin = at_;
  while (!AtEnd() && !IsDelimiter(Peek()) && (also == '\0' || Peek() != also)) ++at_;
  return From(begin);
}

bool Cursor::TakeQuoted(std::string* value) {
  const std::size_t open = at_++;
  value->clear();
  while (!AtEnd()) {
    char c = text_[at_++];
    if (c == '"') return true;
    if (c == '\\') {
      c = Peek();
      if (c != '"' && c != '\\') {
        return Fail(at_ - 1, "a \\ between quotes stands before \" or \\, not before " + Next());
      }
      ++at_;
    }
    value->push_back(c);
  }
  return Fail(open, "the quote is not closed");
}

std::string_view Cursor::NumberToken() const {
  std::size_t end = at_;
  while (end < text_.size() && (IsWord(text_[end]) || text_[end] == '.')) ++end;
  return text_.substr(at_, end - at_);
}

bool Cursor::TakeNumber(const char* what, std::uint64_t low, std::uint64_t* value) {
  const auto token = NumberToken();
  auto digits = token;
  unsigned shift = 0;
  if (!digits.empty()) {
    const auto unit = std::string_view("KMG").find(digits.back());
    if (unit != std::string_view::npos) {
      shift = 10 * (static_cast<unsigned>(unit) + 1);
      digits.remove_suffix(1);
    }
  }
  const char* begin = digits.data();
  const char* end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, *value);
  if (stop != end || error == std::errc::invalid_argument) {
    return Fail(
        at_, std::string("expected ") + what + ", not " + (token.empty() ? Next() : Quoted(token)));
  }
  if (error != std::errc() || *value > std::numeric_limits<std::uint64_t>::max() >> shift) {
    return Fail(at_, Quoted(token) + " is too large: expected " + what);
  }
  *value <<= shift;
  if (*value < low) {
    return Fail(at_, std::string("expected ") + what + ", not " + Quoted(token));
  }
  at_ += token.size();
  return true;
}

bool Cursor::TakeFraction(const char* what, double high, double* value) {
  const auto token = NumberToken();
  const char* begin = token.data();
  const char* end = begin + token.size();
  const auto [stop, error] = std::from_chars(begin, end, *value, std::chars_format::fixed);
  // The negation also refuses what is no number.
  if (stop != end || error != std::errc() || !(*value > 0 && *value <= high)) {
    return Fail(
        at_, std::string("expected ") + what + ", not " + (token.empty() ? Next() : Quoted(token)));
  }
  at_ += token.size();
  return true;
}

std::string Cursor::Next() const {
  return AtEnd() ? "the end" : Quoted(text_.substr(at_, CharacterBytes(text_.substr(at_))));
}

bool Cursor::Fail(std::size_t place, const std::string& message) {
  if (error_->empty()) *error_ = message + '\n' + Caret(text_, place);
  return false;
}

std::string Quoted(std::string_view word) { return "'" + Printable(word, 40) + "'"; }

}  // namespace graphtap::spec
