#include "proto/arrays/safetensors.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "proto/arrays/header_cursor.h"

namespace graphtap::arrays {
namespace {

constexpr std::size_t kLengthBytes = 8;

struct Type {
  std::string_view code;
  Dtype dtype;
};
constexpr Type kTypes[] = {
    {"F16", Dtype::kFloat16},
    {"BF16", Dtype::kBfloat16},
    {"F32", Dtype::kFloat32},
    {"F64", Dtype::kFloat64},
    {"I8", Dtype::kInt8},
    {"I16", Dtype::kInt16},
    {"I32", Dtype::kInt32},
    {"I64", Dtype::kInt64},
    {"U8", Dtype::kUint8},
    {"U16", Dtype::kUint16},
    {"U32", Dtype::kUint32},
    {"U64", Dtype::kUint64},
    {"BOOL", Dtype::kBool},
    {"F8_E4M3", Dtype::kFloat8E4m3fn},
    {"F8_E5M2", Dtype::kFloat8E5m2},
    {"C64", Dtype::kComplex64},
};

// kUnknown: one of a later version.
Dtype DtypeOfCode(std::string_view code) {
  for (const Type& type : kTypes) {
    if (type.code == code) return type.dtype;
  }
  return Dtype::kUnknown;
}

void AppendUtf8(std::uint32_t character, std::string* text) {
  const auto add = [&](std::uint32_t byte) { *text += static_cast<char>(byte); };
  const auto rest = [&](unsigned shift) { add(0x80 | (character >> shift & 0x3f)); };
  if (character < 0x80) return add(character);
  if (character < 0x800) {
    add(0xc0 | character >> 6);
  } else if (character < 0x10000) {
    add(0xe0 | character >> 12);
    rest(6);
  } else {
    add(0xf0 | character >> 18);
    rest(12);
    rest(6);
  }
  rest(0);
}

// As much of JSON as the format has: objects of objects of texts and lists of numbers.
class Parser {
 public:
  Parser(std::string_view text, std::uint64_t data_bytes, std::string* error)
      : cursor_(text, kLengthBytes, error), data_bytes_(data_bytes) {}

  bool Run(std::vector<Array>* arrays) {
    const auto take = [&] {
      std::string name;
      if (!TakeText(&name) || !cursor_.Expect(":")) return false;
      if (name == "__metadata__") return TakeMetadata();
      arrays->emplace_back().name = std::move(name);
      return TakeTensor(&arrays->back());
    };
    if (!TakeObject(take)) return false;
    cursor_.SkipSpaces();
    if (!cursor_.AtEnd()) return cursor_.Fail("text behind the header's object");
    const auto by_name = [](const Array& a, const Array& b) { return a.name < b.name; };
    std::sort(arrays->begin(), arrays->end(), by_name);
    const auto same = [](const Array& a, const Array& b) { return a.name == b.name; };
    if (std::adjacent_find(arrays->begin(), arrays->end(), same) == arrays->end()) return true;
    return cursor_.Fail("two tensors of one name");
  }

 private:
  // `take` reads a member, from its name on.
  template <typename Take>
  bool TakeObject(const Take& take) {
    if (!cursor_.Expect("{")) return false;
    if (cursor_.Take("}")) return true;
    do {
      if (!take()) return false;
    } while (cursor_.Take(","));
    return cursor_.Expect("}");
  }

  bool TakeMetadata() {
    return TakeObject([&] {
      std::string ignored;
      return TakeText(&ignored) && cursor_.Expect(":") && TakeText(&ignored);
    });
  }

  bool TakeTensor(Array* array) {
    std::string type;
    std::vector<std::uint64_t> offsets;
    bool has_type = false, has_shape = false, has_offsets = false;
    const auto take = [&] {
      std::string key;
      if (!TakeText(&key) || !cursor_.Expect(":")) return false;
      if (key == "dtype" && !std::exchange(has_type, true)) return TakeText(&type);
      if (key == "shape" && !std::exchange(has_shape, true)) return TakeList(&array->shape);
      if (key == "data_offsets" && !std::exchange(has_offsets, true)) return TakeList(&offsets);
      return cursor_.Fail("expected each of the members dtype, shape and data_offsets once");
    };
    if (!TakeObject(take)) return false;
    if (!has_type || !has_shape || offsets.size() != 2) {
      return cursor_.Fail("expected the members dtype, shape and two data_offsets");
    }
    if (offsets[0] > offsets[1] || offsets[1] > data_bytes_) {
      return cursor_.Fail("data_offsets outside of the file");
    }
    array->dtype = DtypeOfCode(type);
    array->offset = offsets[0];
    array->bytes = offsets[1] - offsets[0];
    if (array->dtype == Dtype::kUnknown) return true;
    const auto size = SizeOf(array->shape, DtypeBytes(array->dtype));
    if (size == array->bytes) return true;
    return cursor_.Fail("data_offsets that do not fit dtype and shape");
  }

  bool TakeList(std::vector<std::uint64_t>* numbers) {
    return cursor_.Expect("[") && cursor_.TakeNumbers(']', false, numbers);
  }

  bool TakeText(std::string* text) {
    if (!cursor_.Expect("\"")) return false;
    for (;;) {
      if (cursor_.AtEnd()) return cursor_.Fail("the quote is not closed");
      const char c = cursor_.Next();
      if (c == '"') return true;
      if (static_cast<unsigned char>(c) < 0x20)
        return cursor_.Fail("a control character in a text");
      if (c != '\\') {
        *text += c;
      } else if (!TakeEscape(text)) {
        return cursor_.Fail("an escape that JSON does not have");
      }
    }
  }

  bool TakeEscape(std::string* text) {
    static constexpr std::string_view kEscapes = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    const char c = cursor_.Next();
    if (const auto at = kEscapes.find(c); at != std::string_view::npos) {
      *text += kMeanings[at];
      return true;
    }
    std::uint32_t character = 0, low = 0;
    if (c != 'u' || !TakeHex(&character)) return false;
    const auto is_surrogate = [](std::uint32_t unit, std::uint32_t first) {
      return unit >= first && unit < first + 0x400;
    };
    if (is_surrogate(character, 0xdc00)) return false;
    if (is_surrogate(character, 0xd800)) {
      if (cursor_.Next() != '\\' || cursor_.Next() != 'u' || !TakeHex(&low)) return false;
      if (!is_surrogate(low, 0xdc00)) return false;
      character = 0x10000 + ((character - 0xd800) << 10) + (low - 0xdc00);
    }
    AppendUtf8(character, text);
    return true;
  }

  bool TakeHex(std::uint32_t* unit) {
    for (int i = 0; i < 4; ++i) {
      const char c = cursor_.Next();
      const int digit = c >= '0' && c <= '9'   ? c - '0'
                        : c >= 'a' && c <= 'f' ? c - 'a' + 10
                        : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                               : -1;
      if (digit < 0) return false;
      *unit = *unit << 4 | static_cast<std::uint32_t>(digit);
    }
    return true;
  }

  HeaderCursor cursor_;
  const std::uint64_t data_bytes_;
};

std::optional<std::uint64_t> Length(std::span<const std::byte> begin, std::uint64_t file_bytes,
                                    std::string* error) {
  error->clear();
  std::uint64_t length = 0;
  if (begin.size() < kLengthBytes) {
    *error = "not a .safetensors file: it has less than eight bytes";
    return std::nullopt;
  }
  for (std::size_t i = kLengthBytes; i-- > 0;) {
    length = length << 8 | std::to_integer<std::uint64_t>(begin[i]);
  }
  if (length > kMostSafetensorsHead - kLengthBytes) {
    *error = "not a .safetensors file, or one with a header of more than 16 MiB";
  } else if (length > file_bytes - std::min<std::uint64_t>(file_bytes, kLengthBytes)) {
    *error = "the file ends in the header";
  } else {
    return kLengthBytes + length;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> SafetensorsHead(std::span<const std::byte> begin,
                                             std::uint64_t file_bytes,
                                             std::string* error) noexcept {
  try {
    return Length(begin, file_bytes, error);
  } catch (...) {
    return std::nullopt;  // no memory
  }
}

std::optional<std::vector<Array>> ParseSafetensors(std::span<const std::byte> head,
                                                   std::uint64_t file_bytes,
                                                   std::string* error) noexcept {
  try {
    const auto end = Length(head, file_bytes, error);
    if (!end) return std::nullopt;
    if (head.size() < *end) {
      *error = "the file ends in the header";
      return std::nullopt;
    }
    const std::string_view text(reinterpret_cast<const char*>(head.data()), *end);
    std::vector<Array> arrays;
    if (!Parser(text.substr(kLengthBytes), file_bytes - *end, error).Run(&arrays)) {
      return std::nullopt;
    }
    for (Array& array : arrays) array.offset += *end;
    return arrays;
  } catch (...) {
    return std::nullopt;  // no memory
  }
}

}  // namespace graphtap::arrays
