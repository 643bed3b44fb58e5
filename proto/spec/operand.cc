#include "proto/spec/operand.h"

#include <array>
#include <charconv>

#include "proto/spec/words.h"

namespace graphtap::spec {
namespace {

bool IsDigit(char c) { return c >= '0' && c <= '9'; }

bool HasIndex(OperandName::Kind kind) {
  return kind != OperandName::Kind::kDestination && kind != OperandName::Kind::kSource;
}

// The whole of `digits` as a number; false also where it does not fit.
bool ReadNumber(std::string_view digits, int base, std::uint32_t* value) {
  const char* begin = digits.data();
  const char* end = begin + digits.size();
  const auto [stop, error] = std::from_chars(begin, end, *value, base);
  return error == std::errc() && stop == end;
}

}  // namespace

OperandReading ReadOperand(std::string_view text, OperandName* operand) {
  std::size_t letters = 0;
  while (letters < text.size() && text[letters] >= 'a' && text[letters] <= 'z') ++letters;
  const auto kind = FindWord(WordGroup::kOperand, text.substr(0, letters));
  if (!kind) return OperandReading::kNone;
  *operand = OperandName{};
  operand->kind = static_cast<OperandName::Kind>(*kind);
  std::size_t end = letters;
  while (end < text.size() && IsDigit(text[end])) ++end;
  if (HasIndex(operand->kind) != (end > letters)) return OperandReading::kNone;
  const auto index = text.substr(letters, end - letters);
  const auto rest = text.substr(end);
  const bool has_offset = operand->kind == OperandName::Kind::kArgument && rest.starts_with('+');
  if (!rest.empty() && !has_offset) return OperandReading::kNone;
  if (!index.empty() && !ReadNumber(index, 10, &operand->index)) return OperandReading::kBadIndex;
  if (!has_offset) return OperandReading::kRead;
  std::uint32_t offset = 0;
  if (!rest.starts_with("+0x") || !ReadNumber(rest.substr(3), 16, &offset)) {
    return OperandReading::kBadOffset;
  }
  operand->offset = offset;
  return OperandReading::kRead;
}

std::string Text(const OperandName& operand) {
  std::string text(WordOf(WordGroup::kOperand, operand.kind));
  if (HasIndex(operand.kind)) text += std::to_string(operand.index);
  if (operand.offset) {
    std::array<char, 8> digits{};
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), *operand.offset, 16);
    text += "+0x" + std::string(digits.data(), end);
  }
  return text;
}

}  // namespace graphtap::spec
