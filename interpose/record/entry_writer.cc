#include "interpose/record/entry_writer.h"

#include <protozero/types.hpp>
#include <protozero/varint.hpp>

#ifndef NDEBUG
#error "protozero's assertions would end the job: build this folder with NDEBUG"
#endif

namespace graphtap::record {
namespace {

// Bytes of the valid UTF-8 sequence at the start of `text`; 0: none.
std::size_t SequenceLength(std::string_view text) {
  const auto byte = [&](std::size_t i) {
    return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  // Overlong forms, surrogates, and what lies beyond U+10FFFF.
  if (first == 0xe0 && byte(1) < 0xa0) return 0;
  if (first == 0xed && byte(1) > 0x9f) return 0;
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) > 0x8f) return 0;
  return length;
}

}  // namespace

std::string ToUtf8(std::string_view text) {
  static constexpr char kHex[] = "0123456789abcdef";
  std::string valid;
  valid.reserve(text.size());
  std::size_t copied = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = SequenceLength(text.substr(at));
    if (length > 0) {
      at += length;
      continue;
    }
    const auto byte = static_cast<unsigned char>(text[at]);
    valid.append(text.substr(copied, at - copied));
    valid.append({'\\', 'x', kHex[byte >> 4], kHex[byte & 15]});
    copied = ++at;
  }
  valid.append(text.substr(copied));
  return valid;
}

void AppendDelimited(EntryField field, std::string_view body, std::string* messages) {
  using protozero::length_of_varint;
  const auto tag = static_cast<std::uint32_t>(field) << 3 |
                   static_cast<std::uint32_t>(protozero::pbf_wire_type::length_delimited);
  protozero::add_varint_to_buffer(
      messages, static_cast<std::uint64_t>(length_of_varint(tag)) +
                    static_cast<std::uint64_t>(length_of_varint(body.size())) + body.size());
  Writer(*messages).add_message(static_cast<FieldNumber>(field), body.data(), body.size());
}

std::string Delimited(EntryField field, std::string_view body) {
  std::string delimited;
  delimited.reserve(body.size() + 3 * protozero::max_varint_length);
  AppendDelimited(field, body, &delimited);
  return delimited;
}

}  // namespace graphtap::record
