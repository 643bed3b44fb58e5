#include "interpose/values/run_messages.h"

#include <protozero/exception.hpp>
#include <protozero/pbf_reader.hpp>

#include "interpose/record/trace_fields.h"

namespace graphtap::values {
namespace {

using record::FieldNumber;
using Reader = protozero::pbf_reader;
using Wire = protozero::pbf_wire_type;

std::string_view View(Reader& reader) {
  const auto view = reader.get_view();
  return {view.data(), view.size()};
}

// Calls take(field, reader) for each field; takes over what it leaves.
template <typename Field, typename Take>
void ForFields(Reader message, const Take& take) {
  while (message.next()) {
    if (!take(static_cast<Field>(static_cast<FieldNumber>(message.tag())), message)) message.skip();
  }
}

// Of a field that holds a number.
template <typename Number>
bool Take(Reader& reader, Number* value) {
  if (reader.wire_type() == Wire::fixed64) {
    *value = static_cast<Number>(reader.get_fixed64());
  } else if (reader.wire_type() == Wire::varint) {
    *value = static_cast<Number>(reader.get_uint64());
  } else {
    return false;
  }
  return true;
}

template <typename Number>
bool Take(Reader& reader, std::optional<Number>* value) {
  Number number{};
  if (!Take(reader, &number)) return false;
  *value = number;
  return true;
}

bool Take(Reader& reader, std::string_view* value) {
  if (reader.wire_type() != Wire::length_delimited) return false;
  *value = View(reader);
  return true;
}

RunMessages::Run ReadRun(Reader message) {
  using F = record::RunField;
  RunMessages::Run run;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kRank) return Take(reader, &run.rank);
    if (field == F::kProgram) return Take(reader, &run.program);
    if (field == F::kPid) return Take(reader, &run.pid);
    return field == F::kStartRealtimeNs && Take(reader, &run.start_ns);
  });
  return run;
}

RunMessages::Text ReadText(Reader message) {
  using F = record::StringField;
  RunMessages::Text text;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kId) return Take(reader, &text.id);
    return field == F::kText && Take(reader, &text.text);
  });
  return text;
}

RunMessages::Function ReadFunction(Reader message) {
  using F = record::FunctionField;
  RunMessages::Function function;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kId) return Take(reader, &function.id);
    return field == F::kName && Take(reader, &function.name);
  });
  return function;
}

void ReadKernel(Reader message, RunMessages::Node* node) {
  using F = record::KernelNodeField;
  ForFields<F>(message, [&](F field, Reader& reader) {
    return field == F::kFunction && Take(reader, &node->function);
  });
}

void ReadParameters(Reader message, RunMessages::Node* node) {
  using F = record::NodeParametersField;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kKind) return Take(reader, &node->kind);
    if (field != F::kKernel || reader.wire_type() != Wire::length_delimited) return false;
    ReadKernel(reader.get_message(), node);
    return true;
  });
}

RunMessages::Node ReadNode(Reader message) {
  using F = record::NodeField;
  RunMessages::Node node;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kGraph) return Take(reader, &node.graph);
    if (field == F::kIndex) return Take(reader, &node.index);
    if (field == F::kScope) return Take(reader, &node.scope);
    if (field == F::kOp) return Take(reader, &node.op);
    if (field != F::kParameters || reader.wire_type() != Wire::length_delimited) return false;
    ReadParameters(reader.get_message(), &node);
    return true;
  });
  return node;
}

// The first of the names.
void ReadGradient(Reader message, RunMessages::Op* op) {
  using F = record::GradientField;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kScope) return Take(reader, &op->gradient_scope);
    if (field == F::kInvocation) return Take(reader, &op->gradient_invocation);
    if (field != F::kNames || reader.wire_type() != Wire::length_delimited) return false;
    const auto names = reader.get_packed_uint32();
    if (!names.empty()) op->gradient_name = *names.begin();
    return true;
  });
}

RunMessages::Op ReadOp(Reader message) {
  using F = record::OpField;
  RunMessages::Op op;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kGraph) return Take(reader, &op.graph);
    if (field == F::kIndex) return Take(reader, &op.index);
    if (field == F::kName) return Take(reader, &op.name);
    if (field == F::kInvocation) return Take(reader, &op.invocation);
    if (field == F::kScope) return Take(reader, &op.scope);
    if (field != F::kGradient || reader.wire_type() != Wire::length_delimited) return false;
    ReadGradient(reader.get_message(), &op);
    return true;
  });
  return op;
}

RunMessages::Executable ReadExecutable(Reader message) {
  using F = record::ExecutableField;
  RunMessages::Executable executable;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kNumber) return Take(reader, &executable.number);
    return field == F::kKey && Take(reader, &executable.key);
  });
  return executable;
}

RunMessages::Site ReadSite(Reader message) {
  using F = record::SiteField;
  RunMessages::Site site;
  ForFields<F>(message, [&](F field, Reader& reader) {
    switch (field) {
      case F::kId:
        return Take(reader, &site.id);
      case F::kExecutable:
        return Take(reader, &site.executable);
      case F::kGraph:
        return Take(reader, &site.graph);
      case F::kNode:
        return Take(reader, &site.node);
      case F::kRole:
        return Take(reader, &site.role);
      case F::kParameter:
        return Take(reader, &site.parameter);
      case F::kOffset:
        return Take(reader, &site.offset);
      case F::kBytes:
        return site.exact = Take(reader, &site.bytes);
      case F::kCutBytes:
        return Take(reader, &site.bytes);
      case F::kDtype:
        return Take(reader, &site.dtype);
      case F::kCopy:
        return Take(reader, &site.copied);
      case F::kVersion:
        return Take(reader, &site.version);
      case F::kOp:
        return Take(reader, &site.op);
      default:
        return false;
    }
  });
  return site;
}

RunMessages::Observation ReadObservation(Reader message) {
  using F = record::ObservationField;
  RunMessages::Observation observation;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kSite) return Take(reader, &observation.site);
    if (field == F::kReplay) return Take(reader, &observation.replay);
    if (field == F::kHash) return Take(reader, &observation.hash);
    if (field == F::kPayload) return Take(reader, &observation.payload);
    return field == F::kPayloadBytes && Take(reader, &observation.payload_bytes);
  });
  return observation;
}

RunMessages::Piece ReadPiece(Reader message) {
  using F = record::PayloadPieceField;
  RunMessages::Piece piece;
  ForFields<F>(message, [&](F field, Reader& reader) {
    if (field == F::kPayload) return Take(reader, &piece.payload);
    if (field == F::kOffset) return Take(reader, &piece.offset);
    return field == F::kBytes && Take(reader, &piece.bytes);
  });
  return piece;
}

}  // namespace

void RunMessages::Read(std::string_view entry) const {
  using F = record::EntryField;
  const auto tell = [](const auto& to, auto read, Reader& reader) {
    if (!to || reader.wire_type() != Wire::length_delimited) return false;
    to(read(reader.get_message()));
    return true;
  };
  try {
    ForFields<F>(Reader(entry.data(), entry.size()), [&](F field, Reader& reader) {
      switch (field) {
        case F::kRun:
          return tell(on_run, ReadRun, reader);
        case F::kString:
          return tell(on_text, ReadText, reader);
        case F::kFunction:
          return tell(on_function, ReadFunction, reader);
        case F::kNode:
          return tell(on_node, ReadNode, reader);
        case F::kOp:
          return tell(on_op, ReadOp, reader);
        case F::kExecutable:
          return tell(on_executable, ReadExecutable, reader);
        case F::kSite:
          return tell(on_site, ReadSite, reader);
        case F::kObservation:
          return tell(on_observation, ReadObservation, reader);
        case F::kPayloadPiece:
          return tell(on_piece, ReadPiece, reader);
        default:
          return false;
      }
    });
  } catch (const protozero::exception&) {
    // Malformed: what it says is lost.
  }
}

}  // namespace graphtap::values
