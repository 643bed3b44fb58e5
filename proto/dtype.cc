#include "proto/dtype.h"

#include <array>

namespace graphtap {
namespace {

struct Info {
  Dtype dtype;
  std::string_view name;
  std::size_t bytes;
  std::string_view aliases;
};

constexpr auto kDtypes = std::to_array<Info>({
#define GT_DTYPE(number, constant, name, bytes, aliases) {Dtype::constant, name, bytes, aliases},
#include "proto/dtype.inc"
#undef GT_DTYPE
});

constexpr bool NumbersAreIndices() {
  for (std::size_t i = 0; i < kDtypes.size(); ++i) {
    if (static_cast<std::size_t>(kDtypes[i].dtype) != i) return false;
  }
  return true;
}
static_assert(NumbersAreIndices());

const Info& InfoOf(Dtype dtype) noexcept {
  const auto number = static_cast<std::size_t>(dtype);
  return kDtypes[number < kDtypes.size() ? number : 0];
}

bool HasWord(std::string_view words, std::string_view word) noexcept {
  while (!words.empty()) {
    const auto space = words.find(' ');
    if (words.substr(0, space) == word) return true;
    words = space == std::string_view::npos ? std::string_view() : words.substr(space + 1);
  }
  return false;
}

}  // namespace

std::string_view DtypeName(Dtype dtype) noexcept { return InfoOf(dtype).name; }

std::size_t DtypeBytes(Dtype dtype) noexcept { return InfoOf(dtype).bytes; }

std::optional<Dtype> FindDtype(std::string_view name) noexcept {
  for (const auto& info : kDtypes) {
    if (info.dtype == Dtype::kUnknown) continue;
    if (info.name == name || HasWord(info.aliases, name)) return info.dtype;
  }
  return std::nullopt;
}

Dtype DtypeOf(std::uint32_t number) noexcept {
  return number < kDtypes.size() ? kDtypes[number].dtype : Dtype::kUnknown;
}

}  // namespace graphtap
