// Entry writer: what the encoder's files share around protozero. Owner: the call that encodes.
// Threads: no shared state. Failure: std::bad_alloc.
#pragma once

#include <optional>
#include <protozero/pbf_builder.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "interpose/record/records.h"
#include "interpose/record/trace_fields.h"

namespace graphtap::record {

using Writer = protozero::pbf_writer;

template <typename Field>
using Builder = protozero::pbf_builder<Field>;

template <typename Id>
constexpr std::uint32_t Number(Id id) {
  return static_cast<std::uint32_t>(id);
}

template <typename Field>
void AddOptional(Builder<Field>& to, Field field, std::optional<std::uint32_t> value) {
  if (value) to.add_uint32(field, *value);
}

// Ids that point to definitions of one kind, packed.
template <typename Field, typename Id>
void AddIds(Builder<Field>& to, Field field, const std::vector<Id>& ids) {
  protozero::packed_field_uint32 packed(to, static_cast<FieldNumber>(field));
  for (const Id id : ids) packed.add_element(Number(id));
}

// The same text with every byte that is not part of valid UTF-8 replaced by the characters \xNN.
std::string ToUtf8(std::string_view text);

// A field of type `string`: protobuf refuses a whole message for one byte that is not UTF-8, and
// arguments, names of threads and the like may hold any.
template <typename Field>
void AddText(Builder<Field>& to, Field field, std::string_view text) {
  if (!text.empty()) to.add_string(field, ToUtf8(text));
}

// Used by node definitions and by updates.
void AddNodeParameters(Writer& to, FieldNumber field, const NodeParameters& parameters);

// The length-delimited Entry whose one field holds the encoded message `body`.
std::string Delimited(EntryField field, std::string_view body);
void AppendDelimited(EntryField field, std::string_view body, std::string* messages);

}  // namespace graphtap::record
