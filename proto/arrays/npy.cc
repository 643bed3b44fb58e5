#include "proto/arrays/npy.h"

#include <algorithm>
#include <string_view>

#include "proto/arrays/header_cursor.h"

namespace graphtap::arrays {
namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);

// "<f4" without the byte order; kUnknown: one that graphtap does not calculate with.
Dtype DtypeOfCode(std::string_view code) {
  struct Entry {
    std::string_view code;
    Dtype dtype;
  };
  static constexpr Entry kEntries[] = {
      {"f2", Dtype::kFloat16},   {"f4", Dtype::kFloat32},     {"f8", Dtype::kFloat64},
      {"i1", Dtype::kInt8},      {"i2", Dtype::kInt16},       {"i4", Dtype::kInt32},
      {"i8", Dtype::kInt64},     {"u1", Dtype::kUint8},       {"u2", Dtype::kUint16},
      {"u4", Dtype::kUint32},    {"u8", Dtype::kUint64},      {"b1", Dtype::kBool},
      {"c8", Dtype::kComplex64}, {"c16", Dtype::kComplex128},
  };
  for (const Entry& entry : kEntries) {
    if (entry.code == code) return entry.dtype;
  }
  return Dtype::kUnknown;
}

// The header is the text of a Python dictionary with three keys.
class Parser {
 public:
  Parser(std::string_view text, std::uint64_t base, std::string* error)
      : cursor_(text, base, error) {}

  bool Run(Array* array) {
    if (!cursor_.Expect("{")) return false;
    while (!cursor_.Take("}")) {
      std::string_view key;
      if (!TakeText(&key) || !cursor_.Expect(":") || !TakeValue(key, array)) return false;
      if (cursor_.Take(",")) continue;
      if (!cursor_.Expect("}")) return false;
      break;
    }
    cursor_.SkipSpaces();
    if (!cursor_.AtEnd()) return cursor_.Fail("text behind the dictionary");
    if (!has_descr_ || !has_order_ || !has_shape_) {
      return cursor_.Fail("expected the keys descr, fortran_order and shape");
    }
    const auto size = SizeOf(array->shape, element_bytes_);
    if (!size) return cursor_.Fail("the shape is too large");
    array->bytes = *size;
    return true;
  }

 private:
  bool TakeText(std::string_view* text) {
    cursor_.SkipSpaces();
    const char quote = cursor_.Peek();
    if (quote != '\'' && quote != '"') return cursor_.Fail("expected a text in quotes");
    cursor_.Next();
    *text = cursor_.TakeUntil(quote);
    return cursor_.Next() == quote || cursor_.Fail("the quote is not closed");
  }

  bool TakeValue(std::string_view key, Array* array) {
    bool* const has = key == "descr"           ? &has_descr_
                      : key == "fortran_order" ? &has_order_
                      : key == "shape"         ? &has_shape_
                                               : nullptr;
    if (has == nullptr || *has) {
      return cursor_.Fail("expected each of the keys descr, fortran_order and shape once");
    }
    *has = true;
    if (key == "descr") return TakeDescr(array);
    if (key == "shape") return cursor_.Expect("(") && cursor_.TakeNumbers(')', true, &array->shape);
    if (cursor_.Take("False")) return true;
    return cursor_.Fail("expected fortran_order False: other orders of elements are not read");
  }

  bool TakeDescr(Array* array) {
    cursor_.SkipSpaces();
    if (cursor_.Peek() == '[') return cursor_.Fail("structured types are not read");
    std::string_view descr;
    if (!TakeText(&descr)) return false;
    const std::string_view order = descr.substr(0, 1);
    if (order == ">") return cursor_.Fail("big-endian types are not read");
    if (order != "<" && order != "|") return cursor_.Fail("expected a type such as '<f4'");
    const std::string_view code = descr.substr(1);
    array->dtype = DtypeOfCode(code);
    element_bytes_ = DtypeBytes(array->dtype);
    if (array->dtype != Dtype::kUnknown) return true;
    // What numpy has no type for (bfloat16, float8) is saved as bytes: 'V2'.
    HeaderCursor digits(code.substr(std::min<std::size_t>(1, code.size())), 0, &ignored_);
    const bool is_void = code.starts_with('V') && digits.TakeNumber(&element_bytes_);
    if (!is_void || !digits.AtEnd()) {
      return cursor_.Fail("expected a type of numbers, or of bytes such as '|V2'");
    }
    return true;
  }

  HeaderCursor cursor_;
  bool has_descr_ = false, has_order_ = false, has_shape_ = false;
  std::uint64_t element_bytes_ = 0;
  std::string ignored_;
};

std::uint64_t LittleEndian(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) {
    value = value << 8 | static_cast<unsigned char>(bytes[i]);
  }
  return value;
}

std::optional<Array> Parse(std::string_view head, std::uint64_t file_bytes, std::string* error) {
  const auto fail = [&](const char* what) {
    *error = what;
    return std::nullopt;
  };
  if (!head.starts_with(kMagic) || head.size() < 10) return fail("not a .npy file");
  const unsigned major = static_cast<unsigned char>(head[6]);
  if (major < 1 || major > 3) return fail("a version of .npy that is not 1, 2 or 3");
  const std::size_t length_bytes = major == 1 ? 2 : 4;
  const std::size_t begin = 8 + length_bytes;
  if (head.size() < begin) return fail("the file ends in the header");
  const std::uint64_t length = LittleEndian(head.substr(8, length_bytes));
  if (length > kMostNpyHead - begin) return fail("a header of more than 64 KiB");
  if (length > head.size() - begin) return fail("the file ends in the header");
  Array array;
  if (!Parser(head.substr(begin, length), begin, error).Run(&array)) return std::nullopt;
  array.offset = begin + length;
  if (array.bytes > file_bytes - std::min(file_bytes, array.offset)) {
    return fail("the file ends before the last element");
  }
  return array;
}

}  // namespace

std::optional<Array> ParseNpy(std::span<const std::byte> head, std::uint64_t file_bytes,
                              std::string* error) noexcept {
  try {
    error->clear();
    return Parse({reinterpret_cast<const char*>(head.data()), head.size()}, file_bytes, error);
  } catch (...) {
    return std::nullopt;  // no memory
  }
}

}  // namespace graphtap::arrays
