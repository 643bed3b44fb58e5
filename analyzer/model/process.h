// Process: what one run file says, as tables; frozen once the builder has made it.
// Rows keep their record of proto/trace.proto; what it refers to is resolved beside it. A row whose
// own definition is lost, but which others name, is there with `lost` set.
// Owner: the Run. Threads: read-only, any. Failure: none. Units: as trace.proto.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/model/allocator.h"
#include "analyzer/model/observations.h"
#include "analyzer/model/points.h"
#include "analyzer/model/process_identity.h"
#include "analyzer/model/stack.h"
#include "proto/frames/damage.h"
#include "proto/trace.pb.h"

namespace graphtap::model {

struct Function {
  graphtap::Function record;
  std::string mangled, demangled, short_name;
};

// An operator that ran while a graph was captured.
struct Op {
  graphtap::Op record;
  std::string label;  // "aten::add.Tensor"
  std::string name;   // with its scope, "forward/aten::add.Tensor"
  // What its gradients are known by, and which of that name they are; empty: it has none.
  std::string gradient_name;
  std::uint32_t gradient_invocation = 0;
  const Stack* stack = nullptr;  // where Python called it, if that is known
};

struct Node {
  graphtap::Node record;
  std::string path;                    // without the executable: "17", "20.body1/4"
  std::string scope;                   // "" outside all ranges
  const Function* function = nullptr;  // of a kernel node, unless it is lost
  // Of kernel, memcpy and memset nodes: "forward/scale_add", "memcpy", and which of its name it is
  // in the order of the nodes.
  std::string name;
  std::uint32_t invocation = 0;
  const Op* op = nullptr;  // that added it, if one is known
  std::string inner_op;    // what ran inside that, "" if nothing else did
  // Where Python launched it or, if that is not known, called its operator.
  const Stack* stack = nullptr;
  std::string compile_id;  // of the region that it is in, "0/1"; "": it is in none, or not known
};

// One version of a graph.
struct Graph {
  graphtap::Graph record;
  bool lost = false;
  std::string name;  // "g3.v1"
  std::string key;
  std::vector<Node> nodes;          // by index
  std::map<std::uint32_t, Op> ops;  // by index
};

struct Capture {
  graphtap::Capture record;  // the last one of this number
  std::string key;
  std::string compile_id;  // of the compiled code in which it began; "": in none
};

// Replays first to last, all of them known.
struct ReplaySpan {
  std::uint64_t first = 0, last = 0;
  std::uint64_t first_ns = 0, last_ns = 0;
};

struct Executable {
  graphtap::Executable record;
  bool lost = false;
  std::uint32_t number = 0;
  std::string name;  // "x3"
  std::string key;
  const Graph* graph = nullptr;    // that it was made of
  const Graph* current = nullptr;  // after its updates
  std::vector<graphtap::Update> updates;
  std::vector<graphtap::Replay> failures;
  std::vector<ReplaySpan> replays;  // ascending, apart
  std::vector<std::uint32_t> streams;
  std::vector<graphtap::Replay> due;      // to be observed, by number: sampled, or lost
  std::vector<const Site*> sites;         // by id
  std::vector<Observation> observations;  // by replay, in it by node and operand
  std::vector<graphtap::Shadow> shadows;  // in order of time
  std::vector<Refusal> refusals;          // by node and operand

  std::uint64_t replay_count() const;
  std::uint64_t missing_replays() const;  // numbers up to the last that no record tells of
  // Launches a second over the time from the first to the last; nullopt for fewer than two.
  std::optional<double> rate() const;
};

// What was compiled into a file of generated code, where all that is known of it agrees.
struct CompiledFile {
  std::optional<Frame> function;
  std::string compile_id;  // "": not known
};

struct Process {
  std::string path, file;  // file: its name without folders
  std::string name;        // "p0"
  ProcessKey key;
  graphtap::Run run;  // without the run record: what the file name says
  bool run_lost = true;
  Ending ending;
  std::optional<graphtap::End> end;
  std::map<std::uint32_t, std::string> strings;
  std::map<std::uint32_t, Function> functions;
  std::map<std::uint32_t, Stack> stacks;
  std::map<std::string, CompiledFile> compiled_files;  // by name
  std::map<std::uint32_t, graphtap::Thread> threads;
  std::map<std::uint32_t, graphtap::Stream> streams;
  std::map<std::uint32_t, Graph> graphs;            // by id
  std::map<std::uint32_t, Capture> captures;        // by number
  std::map<std::uint32_t, Executable> executables;  // by number
  std::vector<graphtap::Update> failed_instantiations;
  std::map<std::uint32_t, std::uint64_t> losses;  // by cause: the last count
  std::vector<graphtap::Message> messages;
  std::map<std::uint32_t, Site> sites;       // by id
  std::map<std::uint32_t, Rule> rules;       // by index
  std::vector<CheckFailure> check_failures;  // in the order of the file
  Allocator allocator;
  std::vector<Point> points;                 // by number
  std::vector<ParameterPointer> parameters;  // in the order of the file
  Payloads payloads;
  std::uint64_t incomplete_payloads = 0;  // of which pieces are missing
  std::uint64_t orphans = 0;              // records that name a definition which is lost
  frames::Damage damage;

  // The text of a string id; "?" when it is lost.
  std::string StringAt(std::uint32_t id) const;
};

}  // namespace graphtap::model
