#include "analyzer/model/observations.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_format.h"

namespace graphtap::model {

std::span<const Piece> Payloads::Of(std::uint64_t payload) const {
  const auto less = [](const auto& a, const auto& b) { return a.payload < b.payload; };
  const auto [first, last] =
      std::equal_range(pieces.begin(), pieces.end(), Piece{payload, 0, 0, {}}, less);
  return {first, last};
}

bool Payloads::Covers(std::uint64_t payload, std::uint64_t bytes) const {
  std::uint64_t end = 0;
  for (const auto& piece : Of(payload)) {
    if (piece.offset > end) break;
    end = std::max(end, piece.offset + piece.bytes);
  }
  return end >= bytes;
}

template <typename Record>
std::string OperandName(const Record& record) {
  if (record.role() == Operand::ROLE_DESTINATION) return ".dst";
  if (record.role() == Operand::ROLE_SOURCE) return ".src";
  if (record.role() == Operand::ROLE_OUTPUT) return absl::StrFormat(".out%u", record.parameter());
  if (record.role() == Operand::ROLE_INPUT) return absl::StrFormat(".in%u", record.parameter());
  if (record.role() == Operand::ROLE_GRADIENT) {
    return absl::StrFormat(".grad%u", record.parameter());
  }
  const std::string name = absl::StrFormat(".arg%u", record.parameter());
  return record.has_offset() ? absl::StrFormat("%s+0x%x", name, record.offset()) : name;
}

template std::string OperandName(const Operand&);
template std::string OperandName(const graphtap::Site&);
template std::string OperandName(const graphtap::Refusal&);

std::vector<std::string> RuleTexts(const std::string& specification) {
  std::vector<std::string> texts;
  std::string text;
  bool quoted = false;
  const auto close = [&] {
    texts.emplace_back(absl::StripAsciiWhitespace(text));
    text.clear();
  };
  for (std::size_t i = 0; i < specification.size(); ++i) {
    const char c = specification[i];
    if (c == ';' && !quoted) {
      close();
      continue;
    }
    text += c;
    if (c == '"') quoted = !quoted;
    if (c == '\\' && quoted && i + 1 < specification.size()) text += specification[++i];
  }
  if (!specification.empty()) close();
  return texts;
}

}  // namespace graphtap::model
