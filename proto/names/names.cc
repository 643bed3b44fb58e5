#include "proto/names/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <vector>

// libsupc++'s demangler without the buffer that abi::__cxa_demangle grows: hands over the text
// piece by piece. Returns 0 if the name is a mangled one.
extern "C" int __gcclibcxx_demangle_callback(const char* mangled,
                                             void (*append)(const char*, std::size_t, void*),
                                             void* to);

namespace graphtap::names {
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

  // What stands between the brackets of the signature; empty also where there is none.
  std::string_view parameters() const { return parameters_; }

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
    const std::size_t begin = at_, end = BehindBracket(text_, at_);
    at_ = end;
    if (short_.empty() || short_ == "decltype") return;  // still in the return type
    for (const std::string_view qualifier : {" const", " volatile", " &&", " &"}) {
      if (StartsWith(qualifier)) at_ += qualifier.size();
    }
    done_ = !StartsWith("::");  // else these were the parameters of a function around the name
    if (done_ && text_[end - 1] == ')') parameters_ = text_.substr(begin + 1, end - begin - 2);
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
  std::string_view parameters_;
  bool done_ = false;
};

// Parameter `index` of "float*, ns::A<int, 2>"; empty: there is none.
std::string_view Parameter(std::string_view parameters, std::uint32_t index) {
  std::size_t begin = 0, at = 0;
  while (at < parameters.size()) {
    const char c = parameters[at];
    if (c == ',') {
      if (index-- == 0) break;
      begin = ++at;
    } else if (c == '(' || c == '[' || c == '{' || c == '<') {
      at = BehindBracket(parameters, at);
    } else {
      ++at;
    }
  }
  return index == 0 || at < parameters.size() ? parameters.substr(begin, at - begin) : "";
}

// What is left without spaces and qualifiers at the end: "float const" is "float".
std::string_view Unqualified(std::string_view type) {
  constexpr auto kQualifiers = std::to_array<std::string_view>(
      {" ", " const", " volatile", " restrict", " __restrict", " __restrict__"});
  for (bool found = true; found;) {
    found = false;
    for (const auto qualifier : kQualifiers) {
      if (!type.ends_with(qualifier)) continue;
      type.remove_suffix(qualifier.size());
      found = true;
    }
  }
  return type;
}

struct NamedType {
  std::string_view name;
  Dtype dtype;
};

// As the demangler spells them, on Linux.
constexpr auto kNamedTypes = std::to_array<NamedType>({
    {"__half", Dtype::kFloat16},
    {"c10::Half", Dtype::kFloat16},
    {"at::Half", Dtype::kFloat16},
    {"cutlass::half_t", Dtype::kFloat16},
    {"__nv_bfloat16", Dtype::kBfloat16},
    {"c10::BFloat16", Dtype::kBfloat16},
    {"at::BFloat16", Dtype::kBfloat16},
    {"cutlass::bfloat16_t", Dtype::kBfloat16},
    {"float", Dtype::kFloat32},
    {"double", Dtype::kFloat64},
    {"signed char", Dtype::kInt8},
    {"short", Dtype::kInt16},
    {"int", Dtype::kInt32},
    {"long", Dtype::kInt64},
    {"long long", Dtype::kInt64},
    {"unsigned char", Dtype::kUint8},
    {"unsigned short", Dtype::kUint16},
    {"unsigned int", Dtype::kUint32},
    {"unsigned long", Dtype::kUint64},
    {"unsigned long long", Dtype::kUint64},
    {"bool", Dtype::kBool},
    {"__nv_fp8_e4m3", Dtype::kFloat8E4m3fn},
    {"c10::Float8_e4m3fn", Dtype::kFloat8E4m3fn},
    {"cutlass::float_e4m3_t", Dtype::kFloat8E4m3fn},
    {"__nv_fp8_e5m2", Dtype::kFloat8E5m2},
    {"c10::Float8_e5m2", Dtype::kFloat8E5m2},
    {"cutlass::float_e5m2_t", Dtype::kFloat8E5m2},
    {"c10::complex<float>", Dtype::kComplex64},
    {"c10::complex<double>", Dtype::kComplex128},
});

// Each reference back to a part of a mangled name can double its text: 300 characters can stand for
// more than any memory holds. So the demangler is left as soon as it says too much; it keeps all
// that it has on the stack. No exception may pass through it.
struct BoundedText {
  char* data = nullptr;
  std::size_t size = 0, capacity = 0;
  std::jmp_buf too_long;

  BoundedText() = default;
  BoundedText(const BoundedText&) = delete;
  BoundedText& operator=(const BoundedText&) = delete;
  ~BoundedText() { std::free(data); }

  static void Append(const char* piece, std::size_t piece_size, void* to) {
    auto* self = static_cast<BoundedText*>(to);
    const std::size_t size = self->size + piece_size;
    if (size > kMostNameBytes || !self->MakeRoom(size)) std::longjmp(self->too_long, 1);
    std::memcpy(self->data + self->size, piece, piece_size);
    self->size = size;
  }

  bool MakeRoom(std::size_t bytes) {
    if (bytes <= capacity) return true;
    const std::size_t wanted = std::max(bytes, 2 * capacity);
    auto* moved = static_cast<char*>(std::realloc(data, wanted));
    if (moved == nullptr) return false;
    data = moved;
    capacity = wanted;
    return true;
  }
};

// In types, what an expression follows: an array's bound, decltype, noexcept, a vector's size.
bool StartsExpression(char first, char second) {
  if (first == 'A') return second != '_' && std::isdigit(static_cast<unsigned char>(second)) == 0;
  return first == 'X' ||
         (first == 'D' && std::string_view("TtOv").find(second) != std::string_view::npos);
}

// In a name behind the class of an unresolved name ("sr"): what starts no constructor, destructor,
// decltype, unnamed type.
bool StartsNoMember(char first, char second) {
  constexpr auto npos = std::string_view::npos;
  return (first == 'C' && std::string_view("12345I").find(second) == npos) ||
         (first == 'D' && std::string_view("012345Tt").find(second) == npos) ||
         (first == 'U' && std::string_view("tl").find(second) == npos);
}

// Finds names that the demangler does not come to the end of: before what starts no member of an
// unresolved name's class it waits for ever (GCC 12). No compiler writes that. Numbers may be
// lengths of identifiers or something else; where only the demangler knows, both are followed.
class EndlessNames {
 public:
  explicit EndlessNames(std::string_view mangled)
      : mangled_(mangled), places_(mangled.size() + 1) {}

  bool Find() {
    places_[kPrefix].reached = true;
    for (std::size_t at = kPrefix; at < mangled_.size(); ++at) {
      if (!places_[at].reached) continue;
      if (const std::size_t end = BehindFixed(at); end != at) {
        Reach(end, places_[at]);
      } else if (IsDigit(at)) {
        PassNumber(at);
      } else {
        PassLetter(at);
      }
    }
    return has_expression_ && has_no_member_;
  }

 private:
  static constexpr std::size_t kPrefix = 2;  // "_Z"

  // Where the demangler may stand.
  struct Place {
    bool reached = false;
    bool unresolved = false;  // behind an "sr"
    bool is_behind_identifier = false;
  };

  bool IsDigit(std::size_t at) const {
    return std::isdigit(static_cast<unsigned char>(mangled_[at])) != 0;
  }

  bool IsUpper(std::size_t at) const {
    return std::isupper(static_cast<unsigned char>(mangled_[at])) != 0;
  }

  bool IsLower(std::size_t at) const {
    return std::islower(static_cast<unsigned char>(mangled_[at])) != 0;
  }

  void Reach(std::size_t at, const Place& from) {
    places_[at].reached = true;
    places_[at].unresolved |= from.unresolved;
  }

  // Behind what is read in one way only, "S1A_", "T0_", "Lin5E"; `at` where no such thing stands.
  std::size_t BehindFixed(std::size_t at) const {
    const char first = mangled_[at];
    std::size_t end = at + 1;
    if (first == 'S' || first == 'T') {
      while (end < mangled_.size() && (IsDigit(end) || (first == 'S' && IsUpper(end)))) ++end;
      return end < mangled_.size() && mangled_[end] == '_' ? end + 1 : at;
    }
    if (first != 'L' || end == mangled_.size() || !IsLower(end)) return at;
    const auto close = mangled_.find('E', end);
    return close == std::string_view::npos ? at : close + 1;
  }

  // The length of an identifier, whose text says nothing, or another number.
  void PassNumber(std::size_t at) {
    std::size_t length = 0, end = at;
    while (end < mangled_.size() && IsDigit(end)) ++end;
    const auto error = std::from_chars(&mangled_[at], &mangled_[0] + end, length).ec;
    const bool fits = error == std::errc() && length > 0 && length <= mangled_.size() - end;
    if (fits) {
      Reach(end + length, places_[at]);
      places_[end + length].is_behind_identifier = true;
    }
    if (!fits || !IsLength(at)) Reach(end, places_[at]);
  }

  // Whether a number can only be a length.
  bool IsLength(std::size_t at) const {
    if (at == kPrefix) return true;
    if (places_[at].is_behind_identifier) return !has_literal_;
    return std::string_view("NIKLPRVOJFGMZ").find(mangled_[at - 1]) != std::string_view::npos;
  }

  void PassLetter(std::size_t at) {
    const char first = mangled_[at], second = at + 1 < mangled_.size() ? mangled_[at + 1] : '\0';
    Place& place = places_[at];
    place.unresolved |= first == 's' && second == 'r';
    has_literal_ |= first == 'L';
    has_expression_ |= StartsExpression(first, second);
    has_no_member_ |= place.unresolved && StartsNoMember(first, second);
    Reach(at + 1, place);
  }

  std::string_view mangled_;
  std::vector<Place> places_;
  bool has_literal_ = false;
  bool has_expression_ = false;
  bool has_no_member_ = false;
};

}  // namespace

std::string Demangle(const std::string& mangled) {
  // The demangler also reads lone type encodings: "f" would be "float".
  const bool may_be_one = mangled.starts_with("_Z") && mangled.size() <= kMostNameBytes;
  if (!may_be_one || EndlessNames(mangled).Find()) return mangled;
  BoundedText demangled;
  if (setjmp(demangled.too_long) != 0) return mangled;
  const int status =
      __gcclibcxx_demangle_callback(mangled.c_str(), &BoundedText::Append, &demangled);
  return status == 0 ? std::string(demangled.data, demangled.size) : mangled;
}

std::string ShortName(std::string_view demangled) {
  std::string name = Shortener(demangled).Run();
  return name.empty() ? std::string(demangled) : name;
}

Dtype ParameterDtype(std::string_view demangled, std::uint32_t parameter) {
  Shortener shortener(demangled);
  shortener.Run();
  auto type = Unqualified(Parameter(shortener.parameters(), parameter));
  if (!type.ends_with('*')) return Dtype::kUnknown;
  type.remove_suffix(1);
  type = Unqualified(type);
  type.remove_prefix(std::min(type.find_first_not_of(' '), type.size()));
  for (const auto& named : kNamedTypes) {
    if (named.name == type) return named.dtype;
  }
  return Dtype::kUnknown;
}

std::string InScope(std::string_view scope, std::string_view label) {
  std::string name(scope);
  if (!scope.empty()) name += '/';
  return name += label;
}

NodeNamer::Name NodeNamer::Next(std::string_view scope, std::string_view label) {
  Name name{InScope(scope, label), 0};
  name.invocation = invocations_[name.text]++;
  return name;
}

}  // namespace graphtap::names
