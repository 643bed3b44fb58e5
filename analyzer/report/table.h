// Table: rows of text in aligned columns; the one way in which reports print them.
// Owner: the report. Threads: one. Failure: none; a short row leaves its last cells empty.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace graphtap::report {

class Table {
 public:
  // A title that begins with '>' is of a column aligned to the right. No titles: no head line.
  Table(std::size_t indent, std::vector<std::string> titles);

  void AddRow(std::vector<std::string> cells);
  std::size_t rows() const { return rows_.size(); }

  // The first `limit` rows (0: all), then how many `what` are left out. Columns in which every row
  // is empty are left away.
  std::string Text(std::size_t limit = 0, const std::string& what = "rows") const;

 private:
  std::string Line(const std::vector<std::string>& cells,
                   const std::vector<std::size_t>& widths) const;

  std::size_t indent_;
  std::vector<std::string> titles_;
  std::vector<bool> right_;
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace graphtap::report
