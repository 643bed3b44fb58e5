#include "analyzer/model/references.h"

#include <vector>

#include "absl/strings/str_format.h"

namespace graphtap::model {
namespace {

using google::protobuf::FieldDescriptor;

void VisitField(const google::protobuf::Message& message, const FieldDescriptor* field,
                const std::function<void(Reference, std::uint32_t)>& visit) {
  const auto* reflection = message.GetReflection();
  const int count = field->is_repeated() ? reflection->FieldSize(message, field) : 1;
  const bool inner = field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE;
  const Reference kind = field->options().GetExtension(refers_to);
  for (int i = 0; i < count; ++i) {
    if (inner) {
      VisitReferences(field->is_repeated() ? reflection->GetRepeatedMessage(message, field, i)
                                           : reflection->GetMessage(message, field),
                      visit);
    } else if (kind != REFERENCE_NONE) {
      visit(kind, field->is_repeated() ? reflection->GetRepeatedUInt32(message, field, i)
                                       : reflection->GetUInt32(message, field));
    }
  }
}

}  // namespace

void VisitReferences(const google::protobuf::Message& message,
                     const std::function<void(Reference, std::uint32_t)>& visit) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const auto* field : fields) VisitField(message, field, visit);
}

bool IsDefined(const Process& process, Reference kind, std::uint32_t id) {
  switch (kind) {
    case REFERENCE_STRING:
      return process.strings.contains(id);
    case REFERENCE_FUNCTION:
      return process.functions.contains(id);
    case REFERENCE_STACK:
      return process.stacks.contains(id);
    case REFERENCE_GRAPH: {
      const auto found = process.graphs.find(id);
      return found != process.graphs.end() && !found->second.lost;
    }
    case REFERENCE_THREAD:
      return process.threads.contains(id);
    case REFERENCE_STREAM:
      return process.streams.contains(id);
    case REFERENCE_SITE:
      return process.sites.contains(id);
    default:
      return true;  // a kind of a newer version: nothing is known about it
  }
}

std::string Describe(const Process& process, Reference kind, std::uint32_t id) {
  if (!IsDefined(process, kind, id)) return "?";
  switch (kind) {
    case REFERENCE_STRING:
      return process.strings.at(id);
    case REFERENCE_FUNCTION:
      return process.functions.at(id).short_name;
    case REFERENCE_GRAPH:
      return process.graphs.at(id).name;
    case REFERENCE_THREAD: {
      const std::string& name = process.threads.at(id).name();
      return name.empty() ? absl::StrFormat("t%u", id) : name;
    }
    case REFERENCE_STACK: {
      const Frame* place = process.stacks.at(id).Place();
      return place == nullptr ? "" : place->Text();
    }
    case REFERENCE_SITE: {
      const Site& site = process.sites.at(id);
      return absl::StrFormat("x%u/%s %s[%u]", site.record.executable(),
                             site.node == nullptr ? "?" : site.node->path, site.name,
                             site.invocation);
    }
    default:
      return absl::StrFormat("s%u", id);
  }
}

}  // namespace graphtap::model
