#include "interpose/values/print_line.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "proto/arrays/array_text.h"
#include "proto/arrays/decimal.h"
#include "proto/element.h"

namespace graphtap::values {
namespace {

// Of elements that are shown at each end.
constexpr std::uint64_t kEdge = 3, kEdgeBytes = 8;

std::uint64_t EdgeOf(Dtype dtype) { return dtype == Dtype::kUnknown ? kEdgeBytes : kEdge; }

// As the type itself has it; an integer without a point.
std::string Extreme(double value, Dtype dtype) {
  if (!IsInteger(dtype)) return arrays::FloatText(value, arrays::KindOfFloat(dtype));
  const std::string text = arrays::FloatText(value, arrays::FloatKind::kFloat64);
  return text.substr(0, text.find('.'));
}

}  // namespace

PrintLine::PrintLine(Dtype dtype, std::uint64_t bytes)
    : dtype_(dtype), size_(std::max<std::size_t>(DtypeBytes(dtype), 1)), elements_(bytes / size_) {}

void PrintLine::Add(std::span<const std::byte> piece) {
  Keep(piece);
  ForElements(piece, dtype_, [&](double value) {
    if (std::isnan(value)) {
      ++nan_;
    } else if (std::isinf(value)) {
      ++infinite_;
    } else {
      least_ = finite_ == 0 ? value : std::min(least_, value);
      most_ = finite_ == 0 ? value : std::max(most_, value);
      sum_ += value;
      ++finite_;
    }
  });
  at_ += piece.size() / size_;
}

// The elements of the piece that are shown.
void PrintLine::Keep(std::span<const std::byte> piece) {
  const std::uint64_t count = piece.size() / size_, edge = EdgeOf(dtype_);
  const auto keep = [&](std::uint64_t index, std::vector<arrays::Element>* to) {
    std::memcpy(to->emplace_back().data(), piece.data() + index * size_, size_);
  };
  for (std::uint64_t i = 0; i < count && at_ + i < edge; ++i) keep(i, &first_);
  const std::uint64_t begin = std::max(edge, elements_ - std::min(elements_, edge));
  for (std::uint64_t i = begin - std::min(begin, at_); i < count; ++i) keep(i, &last_);
}

std::string PrintLine::Values() const {
  const std::uint64_t behind = elements_ - last_.size();
  const auto read = [&](std::uint64_t index) {
    return index < first_.size() ? first_[index] : last_[index - behind];
  };
  if (dtype_ != Dtype::kUnknown) {
    return arrays::ArrayText(dtype_, {elements_}, read,
                             {.threshold = 2 * kEdge, .edge = kEdge, .line_width = SIZE_MAX / 2});
  }
  std::string text;
  for (std::uint64_t i = 0; i < elements_; ++i) {
    if (i == first_.size()) i = behind;
    if (i == behind && behind > first_.size()) text += " ...";
    text += ' ' + arrays::Hex(std::to_integer<std::uint64_t>(read(i)[0]), 2);
  }
  return '[' + (text.empty() ? text : text.substr(1)) + ']';
}

std::string PrintLine::Summary() const {
  if (!IsReal(dtype_)) return "";
  std::string text = " nan " + std::to_string(nan_) + ", inf " + std::to_string(infinite_);
  if (finite_ == 0) return text;
  return text + ", min " + Extreme(least_, dtype_) + ", max " + Extreme(most_, dtype_) + ", mean " +
         arrays::FloatText(sum_ / static_cast<double>(finite_), arrays::FloatKind::kFloat64);
}

std::string PrintLine::Text() const {
  const std::string type =
      dtype_ == Dtype::kUnknown ? std::string("bytes") : std::string(DtypeName(dtype_));
  return type + " (" + std::to_string(elements_) + ") " + Values() + Summary();
}

}  // namespace graphtap::values
