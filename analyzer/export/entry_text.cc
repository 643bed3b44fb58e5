#include "analyzer/export/entry_text.h"

#include <google/protobuf/io/tokenizer.h>
#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/text_format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_format.h"

namespace graphtap::exporting {
namespace {

// Keeps the first error that protobuf's parser reports.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, int column, const std::string& message) override {
    if (!message_.empty()) return;
    line_ = line;
    column_ = column;
    message_ = message;
  }
  int line() const { return std::max(line_, 0); }
  int column() const { return std::max(column_, 0); }
  const std::string& message() const { return message_; }

 private:
  int line_ = 0, column_ = 0;
  std::string message_;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  absl::StatusOr<std::vector<TextFile>> Run() {
    for (SkipBlank(); at_ < text_.size(); SkipBlank()) {
      const auto status = ParseItem();
      if (!status.ok()) return status;
    }
    return std::move(files_);
  }

 private:
  absl::Status ParseItem() {
    const std::size_t start = at_;
    const std::string_view word = TakeWord();
    SkipBlank();
    if (word == "file" && Take(':')) return ParseFile(start);
    if (word == "entry" && Take('{')) return ParseEntry(start);
    return Error(start, "expected 'entry { … }' or 'file: \"<name>.gtap\"'");
  }

  absl::Status ParseFile(std::size_t start) {
    SkipBlank();
    const std::size_t open = at_;
    if (!Take('"') || !SkipString('"')) return Error(start, "file: needs a name in double quotes");
    std::string name(text_.substr(open + 1, at_ - open - 2));
    if (!name.ends_with(".gtap") || name.find('/') != std::string::npos) {
      return Error(open, "a file name ends in .gtap and has no folder in it");
    }
    files_.push_back({.name = std::move(name), .entries = {}});
    return absl::OkStatus();
  }

  absl::Status ParseEntry(std::size_t start) {
    const std::size_t body = at_;
    if (!SkipBlock()) return Error(start, "entry { has no end");
    if (files_.empty()) files_.emplace_back();
    FirstError error;
    google::protobuf::TextFormat::Parser parser;
    parser.RecordErrorsTo(&error);
    Entry& entry = files_.back().entries.emplace_back();
    if (!parser.ParseFromString(std::string(text_.substr(body, at_ - 1 - body)), &entry)) {
      const auto [line, column] = Place(body);
      const int here = error.line() == 0 ? column + error.column() : error.column() + 1;
      return absl::InvalidArgumentError(
          absl::StrFormat("%d:%d: %s", line + error.line(), here, error.message()));
    }
    if (entry.body_case() == Entry::BODY_NOT_SET) return Error(start, "the entry is empty");
    const google::protobuf::LogSilencer silencer;
    if (!Entry().ParseFromString(entry.SerializeAsString())) {
      return Error(start, "the entry holds a text that is not UTF-8");
    }
    return absl::OkStatus();
  }

  void SkipBlank() {
    while (at_ < text_.size()) {
      if (text_[at_] == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
      } else if (std::isspace(static_cast<unsigned char>(text_[at_])) != 0) {
        ++at_;
      } else {
        return;
      }
    }
  }

  std::string_view TakeWord() {
    const std::size_t start = at_;
    while (at_ < text_.size() && std::isalnum(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
    return text_.substr(start, at_ - start);
  }

  bool Take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  // Behind the quote that ends the string whose first quote was taken.
  bool SkipString(char quote) {
    for (; at_ < text_.size() && text_[at_] != '\n'; ++at_) {
      if (text_[at_] == '\\') {
        ++at_;
      } else if (text_[at_] == quote) {
        ++at_;
        return true;
      }
    }
    return false;
  }

  // Behind the bracket that ends the block whose first bracket was taken.
  bool SkipBlock() {
    for (int depth = 1; at_ < text_.size();) {
      const char c = text_[at_];
      if (c == '#') {
        at_ = std::min(text_.find('\n', at_), text_.size());
        continue;
      }
      ++at_;
      if ((c == '"' || c == '\'') && !SkipString(c)) return false;
      if (c == '{') ++depth;
      if (c == '}' && --depth == 0) return true;
    }
    return false;
  }

  // Line and column of a place, both from 1.
  std::pair<int, int> Place(std::size_t at) const {
    const auto before = text_.substr(0, at);
    const auto line_start = before.rfind('\n');
    const auto column = line_start == std::string_view::npos ? at + 1 : at - line_start;
    return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
            static_cast<int>(column)};
  }

  absl::Status Error(std::size_t at, std::string_view what) const {
    const auto [line, column] = Place(at);
    return absl::InvalidArgumentError(
        absl::StrFormat("%d:%d: %s", line, column, std::string(what)));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<TextFile> files_;
};

}  // namespace

absl::StatusOr<std::vector<TextFile>> ParseEntryText(std::string_view text) {
  return Parser(text).Run();
}

}  // namespace graphtap::exporting
