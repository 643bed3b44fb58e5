// How libFuzzer changes inputs of run_fuzzer and reference_fuzzer: messages are taken out, doubled,
// moved, made of nothing, and their fields set to numbers that other messages have. Bytes changed
// at random would be no messages any more.
#include <google/protobuf/message.h>

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "proto/trace.pb.h"
#include "tests/fuzz/delimited.h"
#include "tests/fuzz/target.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t most);
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed);

namespace graphtap::fuzz {
namespace {

using google::protobuf::FieldDescriptor;

class Mutator {
 public:
  explicit Mutator(unsigned seed) : random_(seed) {}

  void ChangeList(std::vector<std::string>* messages) {
    const std::size_t at = Below(messages->size() + 1);
    if (at == messages->size() || Below(8) == 0) {
      messages->insert(Place(messages, at), Below(8) == 0 ? std::string() : NewMessage());
    } else if (Below(8) == 0) {
      messages->erase(Place(messages, at));
    } else if (Below(8) == 0) {
      messages->insert(Place(messages, Below(messages->size())), std::string((*messages)[at]));
    } else if (Below(8) == 0) {
      std::swap((*messages)[at], (*messages)[Below(messages->size())]);
    } else {
      Entry entry;
      entry.ParseFromString((*messages)[at]);  // of a damaged one, what could be read
      for (std::size_t steps = 1 + Below(3); steps > 0; --steps) ChangeMessage(&entry);
      (*messages)[at] = entry.SerializeAsString();
    }
  }

  std::size_t Below(std::size_t limit) { return random_() % limit; }

 private:
  static std::vector<std::string>::iterator Place(std::vector<std::string>* messages,
                                                  std::size_t at) {
    return messages->begin() + static_cast<std::ptrdiff_t>(at);
  }

  std::string NewMessage() {
    Entry entry;
    for (int steps = 0; steps < 6; ++steps) ChangeMessage(&entry);
    return entry.SerializeAsString();
  }

  // Goes down to a field and changes it.
  void ChangeMessage(google::protobuf::Message* message) {
    const auto* descriptor = message->GetDescriptor();
    const auto* reflection = message->GetReflection();
    std::vector<const FieldDescriptor*> set;
    reflection->ListFields(*message, &set);
    if (descriptor->field_count() == 0) return;
    const auto* field = !set.empty() && Below(4) != 0
                            ? set[Below(set.size())]
                            : descriptor->field(static_cast<int>(
                                  Below(static_cast<std::size_t>(descriptor->field_count()))));
    if (Below(16) == 0) return reflection->ClearField(message, field);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      return ChangeMessage(Inner(message, field));
    }
    field->is_repeated() ? AddValue(message, field) : SetValue(message, field);
  }

  google::protobuf::Message* Inner(google::protobuf::Message* message,
                                   const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    if (!field->is_repeated()) return reflection->MutableMessage(message, field);
    const int count = reflection->FieldSize(*message, field);
    if (count == 0 || Below(4) == 0) return reflection->AddMessage(message, field);
    const auto at = static_cast<int>(Below(static_cast<std::size_t>(count)));
    return reflection->MutableRepeatedMessage(message, field, at);
  }

  void SetValue(google::protobuf::Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_INT32:
        return reflection->SetInt32(message, field, static_cast<std::int32_t>(Number()));
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->SetInt64(message, field, static_cast<std::int64_t>(Number()));
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->SetUInt32(message, field, static_cast<std::uint32_t>(Number()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->SetUInt64(message, field, Number());
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->SetBool(message, field, Below(2) == 0);
      case FieldDescriptor::CPPTYPE_ENUM:
        return reflection->SetEnumValue(message, field, static_cast<int>(Below(8)));
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->SetDouble(message, field, static_cast<double>(Number()) - 2);
      case FieldDescriptor::CPPTYPE_FLOAT:
        return reflection->SetFloat(message, field, static_cast<float>(Number()));
      default:
        return reflection->SetString(message, field, Text(reflection->GetString(*message, field)));
    }
  }

  void AddValue(google::protobuf::Message* message, const FieldDescriptor* field) {
    const auto* reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        return reflection->AddUInt32(message, field, static_cast<std::uint32_t>(Number()));
      case FieldDescriptor::CPPTYPE_UINT64:
        return reflection->AddUInt64(message, field, Number());
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->AddInt64(message, field, static_cast<std::int64_t>(Number()));
      case FieldDescriptor::CPPTYPE_STRING:
        return reflection->AddString(message, field, Text(""));
      default:
        if (reflection->FieldSize(*message, field) > 0) reflection->RemoveLast(message, field);
    }
  }

  // Mostly an id that something may have.
  std::uint64_t Number() {
    if (Below(4) != 0) return Below(5);
    const std::uint64_t bits = std::uint64_t{random_()} << 32 | random_();
    return bits >> Below(64);
  }

  std::string Text(std::string text) {
    constexpr std::size_t kMost = 64;
    const std::size_t size = std::min(text.size(), kMost);
    text.resize(kMost);
    text.resize(LLVMFuzzerMutate(reinterpret_cast<std::uint8_t*>(text.data()), size, kMost));
    // A string field holds UTF-8, else its message could not be read.
    for (char& c : text) c = static_cast<char>(c & 0x7f);
    return text;
  }

  std::mt19937 random_;
};

}  // namespace
}  // namespace graphtap::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t most, unsigned seed) {
  using namespace graphtap::fuzz;
  Mutator mutator(seed);
  const auto input = Input(data, size);
  std::string changed(input.substr(0, 1));
  if (changed.empty() || mutator.Below(8) == 0) changed = static_cast<char>(mutator.Below(256));
  std::vector<std::string> messages;
  for (const auto message : SplitDelimited(input.substr(std::min<std::size_t>(size, 1)))) {
    messages.emplace_back(message);
  }
  mutator.ChangeList(&messages);
  for (const auto& message : messages) AppendDelimited(message, &changed);
  if (changed.size() > most) return size;
  std::copy(changed.begin(), changed.end(), data);
  return changed.size();
}
