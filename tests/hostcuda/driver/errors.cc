// cuGetErrorName and cuGetErrorString: the string is the name in words.
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "tests/hostcuda/driver/calls.h"

namespace hostcuda {
namespace {

struct ErrorText {
  const char* name;
  std::string words;
};

// "CUDA_ERROR_ILLEGAL_ADDRESS" → "illegal address"
std::string Words(std::string name) {
  constexpr std::string_view kPrefix = "CUDA_ERROR_";
  if (name.starts_with(kPrefix)) name.erase(0, kPrefix.size());
  std::ranges::transform(name, name.begin(), [](unsigned char c) {
    return static_cast<char>(c == '_' ? ' ' : std::tolower(c));
  });
  return name;
}

const std::map<int, ErrorText>& Errors() {
  static const auto& errors = *new std::map<int, ErrorText>{
      {CUDA_SUCCESS, {"CUDA_SUCCESS", "no error"}},
#define HOSTCUDA_ERROR(name) {name, {#name, Words(#name)}},
#include "tests/hostcuda/driver/errors.inc"
#undef HOSTCUDA_ERROR
  };
  return errors;
}

// Null, and CUDA_ERROR_INVALID_VALUE, for a number that is no error.
template <typename Part>
CUresult Look(CUresult error, const char** text, Part part) {
  if (text == nullptr) return CUDA_ERROR_INVALID_VALUE;
  auto found = Errors().find(error);
  *text = found == Errors().end() ? nullptr : part(found->second);
  return *text == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // namespace

namespace calls {

CUresult cuGetErrorName(CUresult error, const char** name) {
  return Look(error, name, [](const ErrorText& text) { return text.name; });
}

CUresult cuGetErrorString(CUresult error, const char** string) {
  return Look(error, string, [](const ErrorText& text) { return text.words.c_str(); });
}

}  // namespace calls
}  // namespace hostcuda
