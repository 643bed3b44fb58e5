#include "analyzer/reader/entry_reader.h"

#include <google/protobuf/stubs/logging.h>
#include <google/protobuf/unknown_field_set.h>

#include <string_view>
#include <vector>

namespace graphtap::reader {
namespace {

using google::protobuf::FieldDescriptor;

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
  const google::protobuf::LogSilencer silencer;  // damage is told by counts
  std::string_view message;
  for (;;) {
    const auto found = messages_.Next(&message);
    if (found == frames::Found::kEnd) return false;
    if (found == frames::Found::kOtherVersion) {
      return absl::FailedPreconditionError(messages_.VersionText());
    }
    if (!entry->ParseFromArray(message.data(), static_cast<int>(message.size()))) {
      ++counted_.unreadable_messages;
    } else if (entry->body_case() == Entry::BODY_NOT_SET) {
      ++counted_.unknown_entries;
    } else {
      counted_.unknown_fields += CountUnknownFields(*entry);
      return true;
    }
  }
}

Damage EntryReader::damage() const {
  Damage damage = messages_.damage();
  damage.unreadable_messages += counted_.unreadable_messages;
  damage.unknown_entries = counted_.unknown_entries;
  damage.unknown_fields = counted_.unknown_fields;
  return damage;
}

}  // namespace graphtap::reader
