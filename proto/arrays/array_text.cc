#include "proto/arrays/array_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <complex>
#include <cstring>

#include "proto/arrays/number_format.h"
#include "proto/element.h"

namespace graphtap::arrays {
namespace {

template <typename Value>
Value As(const Element& element) {
  Value value;
  std::memcpy(&value, element.data(), sizeof value);
  return value;
}

std::complex<double> ComplexOf(const Element& element, Dtype dtype) {
  if (dtype == Dtype::kComplex128) return As<std::complex<double>>(element);
  const auto narrow = As<std::complex<float>>(element);
  return {narrow.real(), narrow.imag()};
}

std::string IntegerText(const Element& element, Dtype dtype) {
  if (dtype == Dtype::kInt64) return std::to_string(As<std::int64_t>(element));
  if (dtype == Dtype::kUint64) return std::to_string(As<std::uint64_t>(element));
  return std::to_string(static_cast<std::int64_t>(ElementAt(element.data(), dtype)));
}

std::vector<std::string> IntegerWords(const std::vector<Element>& elements, Dtype dtype) {
  std::vector<std::string> words;
  std::size_t width = 0;
  for (const auto& element : elements) {
    words.push_back(IntegerText(element, dtype));
    width = std::max(width, words.back().size());
  }
  for (auto& word : words) word.insert(0, width - word.size(), ' ');
  return words;
}

std::vector<std::string> ComplexWords(const std::vector<Element>& elements, Dtype dtype) {
  std::vector<double> real, imaginary;
  for (const auto& element : elements) {
    const auto value = ComplexOf(element, dtype);
    real.push_back(value.real());
    imaginary.push_back(value.imag());
  }
  const FloatKind kind = KindOfFloat(dtype);
  const FloatFormat real_format(real, kind, false), imaginary_format(imaginary, kind, true);
  std::vector<std::string> words;
  for (std::size_t i = 0; i < elements.size(); ++i) {
    std::string part = imaginary_format.Word(imaginary[i]);
    part.insert(part.find_last_not_of(' ') + 1, "j");
    words.push_back(real_format.Word(real[i]) + part);
  }
  return words;
}

std::vector<std::string> WordsOf(const std::vector<Element>& elements, Dtype dtype) {
  if (IsInteger(dtype)) return IntegerWords(elements, dtype);
  if (IsComplex(dtype)) return ComplexWords(elements, dtype);
  std::vector<std::string> words;
  if (dtype == Dtype::kBool) {
    for (const auto& element : elements) {
      words.push_back(ElementAt(element.data(), dtype) != 0 ? " True" : "False");
    }
    return words;
  }
  std::vector<double> values;
  for (const auto& element : elements) values.push_back(ElementAt(element.data(), dtype));
  const FloatFormat format(values, KindOfFloat(dtype), false);
  for (const double value : values) words.push_back(format.Word(value));
  return words;
}

// Lays the words of the elements that are shown out in brackets, lines, and axes.
class Layout {
 public:
  Layout(const std::vector<std::uint64_t>& shape, bool summarize, const TextOptions& options)
      : shape_(shape), summarize_(summarize), options_(options) {}

  bool IsCut(std::size_t axis) const { return summarize_ && shape_[axis] > 2 * options_.edge; }

  // The flat indices of what is shown, in the order of the text.
  std::vector<std::uint64_t> Indices() const {
    std::vector<std::uint64_t> indices = {0};
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      std::vector<std::uint64_t> inner;
      for (const std::uint64_t index : indices) {
        for (std::uint64_t i = 0; i < shape_[axis]; ++i) {
          if (IsCut(axis) && i == options_.edge) i = shape_[axis] - options_.edge;
          inner.push_back(index * shape_[axis] + i);
        }
      }
      indices.swap(inner);
    }
    return indices;
  }

  std::string Text(std::vector<std::string> words) {
    words_ = std::move(words);
    next_ = 0;
    return Axis(0, " ", options_.line_width);
  }

 private:
  std::string Axis(std::size_t axis, const std::string& indent, std::size_t width) {
    const std::uint64_t shown = IsCut(axis) ? 2 * options_.edge : shape_[axis];
    std::string text = axis + 1 == shape_.size() ? Row(axis, indent, width, shown)
                                                 : Rows(axis, indent, width, shown);
    return '[' + text.substr(indent.size()) + ']';
  }

  std::string Row(std::size_t axis, const std::string& indent, std::size_t width,
                  std::uint64_t shown) {
    std::string text, line = indent;
    const auto extend = [&](const std::string& word) {
      if (line.size() + word.size() > width - 1 && line.size() > indent.size()) {
        line.resize(line.find_last_not_of(' ') + 1);
        text += line + '\n';
        line = indent;
      }
      line += word;
    };
    for (std::uint64_t i = 0; i < shown; ++i) {
      if (i > 0) line += ' ';
      if (IsCut(axis) && i == options_.edge) {
        extend("...");
        line += ' ';
      }
      extend(words_[next_++]);
    }
    return text + line;
  }

  std::string Rows(std::size_t axis, const std::string& indent, std::size_t width,
                   std::uint64_t shown) {
    const std::string separator(shape_.size() - axis - 1, '\n');
    std::string text;
    for (std::uint64_t i = 0; i < shown; ++i) {
      if (i > 0) text += separator;
      if (IsCut(axis) && i == options_.edge) text += indent + "..." + separator;
      text += indent + Axis(axis + 1, indent + ' ', width - 1);
    }
    return text;
  }

  const std::vector<std::uint64_t>& shape_;
  bool summarize_;
  const TextOptions& options_;
  std::vector<std::string> words_;
  std::size_t next_ = 0;
};

}  // namespace

std::string ArrayText(Dtype dtype, const std::vector<std::uint64_t>& shape,
                      const ElementReader& read, const TextOptions& options) {
  std::uint64_t size = 1;
  for (const std::uint64_t axis : shape) size *= axis;
  if (size == 0) return "[]";
  Layout layout(shape, size > options.threshold, options);
  std::vector<Element> elements;
  for (const std::uint64_t index : layout.Indices()) elements.push_back(read(index));
  return layout.Text(WordsOf(elements, dtype));
}

std::string ElementText(const Element& element, Dtype dtype) {
  if (dtype == Dtype::kUnknown) return IntegerText(element, Dtype::kUint8);
  if (IsInteger(dtype)) return IntegerText(element, dtype);
  if (dtype == Dtype::kBool) return ElementAt(element.data(), dtype) != 0 ? "True" : "False";
  const FloatKind kind = KindOfFloat(dtype);
  if (!IsComplex(dtype)) return FloatText(ElementAt(element.data(), dtype), kind);
  const auto value = ComplexOf(element, dtype);
  const std::string imaginary = FloatText(value.imag(), kind);
  return '(' + FloatText(value.real(), kind) + (imaginary.front() == '-' ? "" : "+") + imaginary +
         "j)";
}

std::string Hex(std::uint64_t value, std::size_t digits) {
  std::array<char, 16> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value, 16).ptr;
  const std::string written(text.data(), end);
  return std::string(digits - std::min(digits, written.size()), '0') + written;
}

std::string HexText(std::uint64_t bytes, const ElementReader& read) {
  constexpr std::uint64_t kBytesALine = 16, kMostLines = 16, kEdgeLines = 3;
  const std::uint64_t lines = (bytes + kBytesALine - 1) / kBytesALine;
  std::string text;
  for (std::uint64_t line = 0; line < lines; ++line) {
    if (lines > kMostLines && line == kEdgeLines) {
      text += "...\n";
      line = lines - kEdgeLines;
    }
    text += Hex(line * kBytesALine, 6) + ':';
    const std::uint64_t end = std::min(bytes, (line + 1) * kBytesALine);
    for (std::uint64_t at = line * kBytesALine; at < end; ++at) {
      text += ' ' + Hex(std::to_integer<std::uint64_t>(read(at)[0]), 2);
    }
    text += '\n';
  }
  if (!text.empty()) text.pop_back();
  return text;
}

}  // namespace graphtap::arrays
