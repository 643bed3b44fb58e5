#include "interpose/points/labels.h"

namespace graphtap::points {
namespace {

bool EndsAsLabelsDo(std::string_view text) {
  if (text.ends_with(":begin") || text.ends_with(":end")) return true;
  const auto digits = text.find_last_not_of("0123456789");
  return digits != std::string_view::npos && digits + 1 < text.size() && text[digits] == '#';
}

}  // namespace

std::uint64_t Labels::Next(std::string_view text) {
  std::string key(text.substr(0, kMostBytes));
  const std::lock_guard lock(mutex_);
  const auto found = times_.find(key);
  if (found != times_.end()) return ++found->second;
  if (times_.size() == kMostTexts) return 0;
  times_.emplace(std::move(key), 1);
  return 1;
}

std::string Labels::Of(std::string_view text, std::uint64_t time) {
  text = text.substr(0, kMostBytes);
  std::string label(text);
  if (time > 1 || EndsAsLabelsDo(text)) label += '#' + std::to_string(time);
  return label;
}

}  // namespace graphtap::points
