// Observations: what probes were planned, made, refused, and what they saw, as rows of a Process.
// The bytes that were copied stay in the file; Payloads says where (payload_reader.h reads them).
// Owner: the Process. Threads: read-only, any. Failure: none; what a row points to is null where
// its definition is lost. Units: bytes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analyzer/reader/entry_reader.h"
#include "proto/dtype.h"
#include "proto/trace.pb.h"

namespace graphtap::model {

struct Executable;
struct Graph;
struct Node;
struct Op;

// A place where probes observe, in one version of its graph.
struct Site {
  graphtap::Site record;
  const Executable* executable = nullptr;
  const Graph* graph = nullptr;
  const Node* node = nullptr;
  const Op* op = nullptr;        // whose tensor it is, or into which the gradient flows
  std::string operand;           // ".arg3+0x18"
  std::string name;              // "forward/scale_add.arg3": equal in two runs
  std::uint32_t invocation = 0;  // of the node among those of its name
  Dtype dtype = Dtype::kUnknown;

  bool exact() const { return record.has_bytes(); }
  std::uint64_t bytes() const { return exact() ? record.bytes() : record.cut_bytes(); }
};

struct Observation {
  const Site* site = nullptr;
  std::uint64_t replay = 0;
  std::optional<std::uint64_t> hash;
  std::unique_ptr<const Statistics> statistics;  // null: none
  std::optional<std::uint64_t> payload;          // id
  std::uint64_t payload_bytes = 0;               // of the whole payload
  bool payload_complete = false;                 // all of it is in the file
};

struct Refusal {
  graphtap::Refusal record;
  std::string name{};  // as of a Site
  std::uint32_t invocation = 0;
};

struct CheckFailure {
  graphtap::CheckFailure record;
  const Site* site = nullptr;
};

// What became of one rule of the specification.
struct Rule {
  std::string text;  // "" where the specification does not say
  RuleCounts counts;
};

// A part of a payload.
struct Piece {
  std::uint64_t payload = 0, offset = 0;
  std::uint32_t bytes = 0;
  reader::Place place;
};

struct Payloads {
  std::vector<Piece> pieces;  // by payload and offset

  std::span<const Piece> Of(std::uint64_t payload) const;
  // Whether the pieces cover its first `bytes` bytes.
  bool Covers(std::uint64_t payload, std::uint64_t bytes) const;
};

// ".arg0+0x18", ".dst"; of an Operand, a Site or a Refusal.
template <typename Record>
std::string OperandName(const Record& record);

// The texts of the rules of a specification, trimmed: what ';' separates outside quotes.
std::vector<std::string> RuleTexts(const std::string& specification);

}  // namespace graphtap::model
