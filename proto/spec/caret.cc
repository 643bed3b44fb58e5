#include "proto/spec/caret.h"

#include <algorithm>

namespace graphtap::spec {
namespace {

constexpr std::string_view kIndent = "  ", kCut = "...";
// How much of the text is shown before and behind the place.
constexpr std::size_t kBefore = 48, kBehind = 24;

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t Columns(std::string_view text) {
  std::size_t columns = 0;
  for (; !text.empty(); text.remove_prefix(CharacterBytes(text))) ++columns;
  return columns;
}

// As many characters of the text as fit.
std::string_view First(std::string_view text, std::size_t columns) {
  auto rest = text;
  for (; columns > 0 && !rest.empty(); --columns) rest.remove_prefix(CharacterBytes(rest));
  return text.substr(0, text.size() - rest.size());
}

std::string Shown(std::string_view text) {
  std::string shown;
  for (; !text.empty(); text.remove_prefix(CharacterBytes(text))) {
    const auto character = text.substr(0, CharacterBytes(text));
    const auto byte = static_cast<unsigned char>(character[0]);
    const bool is_space = byte == ' ' || (byte >= '\t' && byte <= '\r');
    if (is_space) {
      shown += ' ';
    } else if (character.size() == 1 && (byte < ' ' || byte >= 0x7F)) {
      shown += '?';
    } else {
      shown += character;
    }
  }
  return shown;
}

}  // namespace

std::size_t CharacterBytes(std::string_view text) noexcept {
  if (text.empty()) return 0;
  const auto lead = static_cast<unsigned char>(text[0]);
  std::size_t bytes = 1;
  if (lead >= 0xC2 && lead < 0xE0) bytes = 2;
  if (lead >= 0xE0 && lead < 0xF0) bytes = 3;
  if (lead >= 0xF0 && lead < 0xF5) bytes = 4;
  if (bytes > text.size()) return 1;
  const bool is_control = lead == 0xC2 && static_cast<unsigned char>(text[1]) < 0xA0;
  if (is_control) return 1;
  return std::all_of(text.begin() + 1, text.begin() + static_cast<std::ptrdiff_t>(bytes),
                     IsContinuation)
             ? bytes
             : 1;
}

std::string Printable(std::string_view text, std::size_t columns) {
  if (Columns(text) <= columns) return Shown(text);
  return Shown(First(text, columns - kCut.size())) + std::string(kCut);
}

std::string Caret(std::string_view text, std::size_t place) {
  auto before = text.substr(0, place);
  const std::size_t columns = Columns(before);
  std::string line(kIndent);
  if (columns > kBefore) {
    before.remove_prefix(First(before, columns - kBefore + kCut.size()).size());
    line += kCut;
  }
  line += Shown(before);
  const std::size_t column = Columns(line);
  return line + Printable(text.substr(place), kBehind) + '\n' + std::string(column, ' ') + '^';
}

}  // namespace graphtap::spec
