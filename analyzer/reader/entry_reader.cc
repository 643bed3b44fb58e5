#include "analyzer/reader/entry_reader.h"

#include <google/protobuf/unknown_field_set.h>

#include <optional>
#include <vector>

namespace graphtap::reader {
namespace {

using google::protobuf::FieldDescriptor;

// A base-128 number at the front of *bytes, which moves behind it. nullopt: there is none.
std::optional<std::uint64_t> TakeVarint(std::string_view* bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && i < bytes->size(); ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

std::uint64_t CountUnknownFields(const google::protobuf::Message& message) {
  const auto* reflection = message.GetReflection();
  std::uint64_t count =
      static_cast<std::uint64_t>(reflection->GetUnknownFields(message).field_count());
  std::vector<const FieldDescriptor*> fields;
  reflection->ListFields(message, &fields);
  for (const auto* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      count += CountUnknownFields(reflection->GetMessage(message, field));
      continue;
    }
    for (int i = 0; i < reflection->FieldSize(message, field); ++i) {
      count += CountUnknownFields(reflection->GetRepeatedMessage(message, field, i));
    }
  }
  return count;
}

}  // namespace

absl::StatusOr<bool> EntryReader::Next(Entry* entry) {
  while (!NextInFrame(entry)) {
    const auto more = frames_.Next(&frame_);
    if (!more.ok() || !*more) return more;
    rest_ = frame_.payload;
    messages_left_ = frame_.count;
  }
  return true;
}

bool EntryReader::NextInFrame(Entry* entry) {
  while (messages_left_ > 0) {
    const auto length = TakeVarint(&rest_);
    if (!length || *length > rest_.size()) {
      counted_.unreadable_messages += messages_left_;
      messages_left_ = 0;
      return false;
    }
    --messages_left_;
    const std::string_view message = rest_.substr(0, *length);
    rest_.remove_prefix(*length);
    place_ = {.frame = frame_.offset,
              .position = static_cast<std::uint32_t>(message.data() - frame_.payload.data()),
              .size = static_cast<std::uint32_t>(message.size())};
    if (!entry->ParseFromArray(message.data(), static_cast<int>(message.size()))) {
      ++counted_.unreadable_messages;
    } else if (entry->body_case() == Entry::BODY_NOT_SET) {
      ++counted_.unknown_entries;
    } else {
      counted_.unknown_fields += CountUnknownFields(*entry);
      return true;
    }
  }
  return false;
}

Damage EntryReader::damage() const {
  Damage damage = frames_.damage();
  damage.unreadable_messages = counted_.unreadable_messages;
  damage.unknown_entries = counted_.unknown_entries;
  damage.unknown_fields = counted_.unknown_fields;
  return damage;
}

}  // namespace graphtap::reader
