#include "analyzer/report/entry_printer.h"

#include <map>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "analyzer/report/cuda_names.h"
#include "analyzer/report/tensor_words.h"
#include "proto/dtype.h"

namespace graphtap::report {
namespace {

using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::TextFormat;
using NumberText = std::function<std::string(std::uint32_t)>;

class NumberPrinter : public TextFormat::FastFieldValuePrinter {
 public:
  explicit NumberPrinter(NumberText text) : text_(std::move(text)) {}
  void PrintUInt32(std::uint32_t value, TextFormat::BaseTextGenerator* generator) const override {
    generator->PrintString(text_(value));
  }

 private:
  NumberText text_;
};

std::string DtypeText(std::uint32_t number) { return std::string(DtypeName(DtypeOf(number))); }

// What numbers stand for, by the full names of their fields.
NumberText WordFor(const std::string& field) {
  static const std::map<std::string, NumberText> kWords = {
      {"graphtap.NodeParameters.kind", NodeKindName},
      {"graphtap.NodeParameters.unread_error", ResultName},
      {"graphtap.Dependency.type", DependencyTypeName},
      {"graphtap.Attribute.id", AttributeName},
      {"graphtap.ConditionalNode.type", ConditionalTypeName},
      {"graphtap.MemcpyNode.source_memory", MemoryTypeName},
      {"graphtap.MemcpyNode.destination_memory", MemoryTypeName},
      {"graphtap.Capture.mode", CaptureModeName},
      {"graphtap.Capture.error", ResultName},
      {"graphtap.Update.result", ResultName},
      {"graphtap.Update.update_result", UpdateResultName},
      {"graphtap.Replay.error", ResultName},
      {"graphtap.Replay.lost", LossText},
      {"graphtap.LossCount.cause", LossText},
      {"graphtap.Shadow.skip", SkipText},
      {"graphtap.Shadow.error", ResultName},
      {"graphtap.Refusal.reason", SkipText},
      {"graphtap.Site.dtype", DtypeText},
      {"graphtap.Run.driver_version", DriverVersionName}};
  const auto found = kWords.find(field);
  return found == kWords.end() ? NumberText() : found->second;
}

}  // namespace

std::string Quoted(const std::string& text) { return '"' + absl::Utf8SafeCEscape(text) + '"'; }

EntryPrinter::EntryPrinter(ReferenceText reference_text, Words words)
    : reference_text_(std::move(reference_text)), words_(words) {
  printer_.SetInitialIndentLevel(1);
  printer_.SetUseUtf8StringEscaping(true);
  const auto* file = Entry::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) Register(*file->message_type(i));
}

void EntryPrinter::Register(const Descriptor& message) {
  for (int i = 0; i < message.field_count(); ++i) {
    const FieldDescriptor* field = message.field(i);
    const Reference kind = field->options().GetExtension(refers_to);
    if (kind != REFERENCE_NONE) {
      printer_.RegisterFieldValuePrinter(field, new NumberPrinter([this, kind](std::uint32_t id) {
                                           return reference_text_(kind, id);
                                         }));
      continue;
    }
    const NumberText word = words_ == Words::kComments ? WordFor(field->full_name()) : nullptr;
    if (!word) continue;
    printer_.RegisterFieldValuePrinter(field, new NumberPrinter([word](std::uint32_t number) {
                                         return absl::StrFormat("%u  # %s", number, word(number));
                                       }));
  }
}

std::string EntryPrinter::Text(const Entry& entry) const {
  std::string body;
  printer_.PrintToString(entry, &body);
  return "entry {\n" + body + "}\n";
}

}  // namespace graphtap::report
