#include "analyzer/report/table.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_format.h"
#include "analyzer/report/units.h"

namespace graphtap::report {
namespace {

// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t Width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xc0) != 0x80; }));
}

// A wider cell stands alone; the others of its column are not made as wide.
constexpr std::size_t kMostWidth = 200;

// Names that a job gave may have line ends and other control characters in them.
void MakePrintable(std::string* text) {
  std::replace_if(
      text->begin(), text->end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
}

}  // namespace

Table::Table(std::size_t indent, std::vector<std::string> titles)
    : indent_(indent), titles_(std::move(titles)) {
  for (auto& title : titles_) {
    right_.push_back(title.starts_with('>'));
    if (right_.back()) title.erase(0, 1);
  }
}

void Table::AddRow(std::vector<std::string> cells) {
  cells.resize(titles_.size());
  for (auto& cell : cells) MakePrintable(&cell);
  rows_.push_back(std::move(cells));
}

std::string Table::Text(std::size_t limit, const std::string& what) const {
  const std::size_t shown = limit == 0 ? rows_.size() : std::min(limit, rows_.size());
  std::vector<std::size_t> widths(titles_.size(), 0);
  for (std::size_t row = 0; row < shown; ++row) {
    for (std::size_t i = 0; i < widths.size(); ++i) {
      widths[i] = std::max(widths[i], std::min(Width(rows_[row][i]), kMostWidth));
    }
  }
  bool has_head = false;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    has_head = has_head || !titles_[i].empty();
    if (widths[i] > 0) widths[i] = std::max(widths[i], Width(titles_[i]));
  }
  std::string text = has_head ? Line(titles_, widths) : "";
  for (std::size_t row = 0; row < shown; ++row) text += Line(rows_[row], widths);
  if (shown < rows_.size()) {
    absl::StrAppendFormat(&text, "%s… %s of %s %s not shown (--limit 0 shows all)\n",
                          std::string(indent_, ' '), Count(rows_.size() - shown),
                          Count(rows_.size()), what);
  }
  return text;
}

std::string Table::Line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string line(indent_, ' ');
  bool first = true;
  for (std::size_t i = 0; i < widths.size(); ++i) {
    if (widths[i] == 0) continue;
    if (!first) line += "  ";
    first = false;
    const std::string padding(widths[i] - std::min(widths[i], Width(cells[i])), ' ');
    line += right_[i] ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line + '\n';
}

}  // namespace graphtap::report
