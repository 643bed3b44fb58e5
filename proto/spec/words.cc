#include "proto/spec/words.h"

#include <array>

#include "proto/spec/points.h"

namespace graphtap::spec {
namespace {

struct Word {
  WordGroup group;
  std::string_view word;
  std::uint8_t value;
  std::string_view form;
};

constexpr auto kWords = std::to_array<Word>({
#define GT_WORD(group, word, value, form) \
  {WordGroup::group, word, static_cast<std::uint8_t>(value), form},
#include "proto/spec/words.inc"
#undef GT_WORD
});

}  // namespace

std::optional<std::uint8_t> FindWord(WordGroup group, std::string_view word) noexcept {
  for (const auto& entry : kWords) {
    if (entry.group == group && entry.word == word) return entry.value;
  }
  return std::nullopt;
}

std::string_view WordOf(WordGroup group, std::uint8_t value) noexcept {
  for (const auto& entry : kWords) {
    if (entry.group == group && entry.value == value) return entry.word;
  }
  return "";
}

bool IsSupported([[maybe_unused]] WordGroup group,
                 [[maybe_unused]] std::string_view word) noexcept {
#define GT_UNSUPPORTED(its_group, its_word) \
  if (group == WordGroup::its_group && word == its_word) return false;
#include "proto/spec/unsupported.inc"
#undef GT_UNSUPPORTED
  return true;
}

std::string Forms(WordGroup group, Words words) {
  std::string forms;
  for (const auto& entry : kWords) {
    if (entry.group != group) continue;
    if (words == Words::kSupported && !IsSupported(group, entry.word)) continue;
    if (!forms.empty()) forms += ", ";
    forms += entry.form;
  }
  return forms;
}

}  // namespace graphtap::spec
