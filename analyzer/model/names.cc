#include "analyzer/model/names.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <optional>

namespace graphtap::model {
namespace {

constexpr std::string_view kAnonymous = "(anonymous namespace)";

// Longest first, so that a prefix does not win.
constexpr auto kOperators = std::to_array<std::string_view>(
    {"()", "[]", "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "<", ">"});

bool IsWord(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Behind the bracket that closes the one at `at`; the end of the text if none does. Inside round
// brackets < and > are comparisons.
std::size_t BehindBracket(std::string_view text, std::size_t at) {
  std::string open;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    const bool angle = open.empty() || open.back() == '<';
    if (c == '(' || c == '[' || c == '{' || (c == '<' && angle)) {
      open.push_back(c);
    } else if (c == ')' || c == ']' || c == '}' || (c == '>' && angle && text[at - 1] != '-')) {
      open.pop_back();
      if (open.empty()) return at + 1;
    }
  }
  return text.size();
}

// Walks over a demangled name once and keeps the parts that the short name is made of.
class Shortener {
 public:
  explicit Shortener(std::string_view text) : text_(text) {}

  std::string Run() {
    while (at_ < text_.size() && !done_) Step();
    return short_;
  }

 private:
  bool StartsWith(std::string_view word) const { return text_.substr(at_).starts_with(word); }

  void Step() {
    const char c = text_[at_];
    if (StartsWith(kAnonymous)) {
      short_ += "{anonymous}";
      at_ += kAnonymous.size();
    } else if (c == '{') {
      TakeUnnamed();
    } else if (c == '<' || c == '[') {
      at_ = BehindBracket(text_, at_);
    } else if (c == '(') {
      SkipParameters();
    } else if (c == ' ') {
      short_.clear();  // what came before was the return type
      ++at_;
    } else if (StartsWith("operator") && (at_ == 0 || !IsWord(text_[at_ - 1]))) {
      TakeOperator();
    } else {
      TakeWord();
    }
  }

  // "{lambda(int)#2}" is "{lambda}", "{unnamed type#1}" is "{unnamed}".
  void TakeUnnamed() {
    std::size_t end = at_ + 1;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    short_ += text_.substr(at_, end - at_);
    short_ += '}';
    at_ = BehindBracket(text_, at_);
  }

  void SkipParameters() {
    at_ = BehindBracket(text_, at_);
    if (short_.empty() || short_ == "decltype") return;  // still in the return type
    for (const std::string_view qualifier : {" const", " volatile", " &&", " &"}) {
      if (StartsWith(qualifier)) at_ += qualifier.size();
    }
    done_ = !StartsWith("::");  // else these were the parameters of a function around the name
  }

  void TakeOperator() {
    constexpr std::string_view kWord = "operator";
    short_ += kWord;
    at_ += kWord.size();
    for (const auto symbol : kOperators) {
      if (!StartsWith(symbol)) continue;
      short_ += symbol;
      at_ += symbol.size();
      if (StartsWith(" <")) ++at_;  // "operator< <int>": not the end of a return type
      return;
    }
  }

  // nvcc gives internal names a namespace with a hash in it.
  void TakeWord() {
    std::size_t end = at_;
    while (end < text_.size() && IsWord(text_[end])) ++end;
    end = std::max(end, at_ + 1);  // a colon, a tilde
    const auto word = text_.substr(at_, end - at_);
    const bool internal = word.starts_with("_INTERNAL_") || word.starts_with("_GLOBAL__N_");
    short_ += internal ? "{anonymous}" : word;
    at_ = end;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::string short_;
  bool done_ = false;
};

}  // namespace

std::string Demangle(const std::string& mangled) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(mangled.c_str(), nullptr, nullptr, &status), &std::free);
  // The demangler also reads lone type encodings: "f" would be "float".
  return mangled.starts_with("_Z") && text ? std::string(text.get()) : mangled;
}

std::string ShortName(std::string_view demangled) {
  std::string name = Shortener(demangled).Run();
  return name.empty() ? std::string(demangled) : name;
}

}  // namespace graphtap::model
