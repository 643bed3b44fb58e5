// Plan: which sites of a graph the specification selects, what is done at each, and which of them
// are refused, with the reason. Pure: knows no CUDA, asks what it needs by callbacks.
// Owner: the shadow of the executable. Threads: a plan is a value. Failure: bad_alloc.
// Units: bytes.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpose/probe/shape.h"
#include "interpose/record/observations.h"
#include "interpose/record/records.h"
#include "interpose/values/watched.h"
#include "proto/dtype.h"
#include "proto/lists/skips.h"
#include "proto/spec/specification.h"

namespace graphtap::probe {

struct PlannedSite {
  std::uint32_t node = 0;     // index in the graph version
  std::uint32_t operand = 0;  // index among the node's operands
  record::Role role = record::Role::kArgument;
  std::optional<std::uint32_t> parameter, offset;
  std::uint64_t address = 0, bytes = 0;
  Shape shape{};  // without dimensions: the bytes lie behind one another
  bool exact = false;
  bool hash = false, digest = false;
  std::uint64_t copy_bytes = 0;  // that are kept; 0: no copy
  bool whole = false;            // all bytes leave the device, to be printed or checked
  Dtype dtype = Dtype::kUnknown;
  std::vector<std::uint32_t> rules;
  std::shared_ptr<values::Watched> watched{};  // if it is printed or checked

  std::uint64_t fetched_bytes() const { return whole ? bytes : copy_bytes; }
  bool strided() const { return !shape.dimensions.empty(); }
  Memory memory() const { return MemoryOf(shape, address, bytes); }

  bool operator==(const PlannedSite&) const = default;
};

struct RefusedSite {
  std::uint32_t node = 0, operand = 0;
  std::uint64_t bytes = 0;
  Skip reason{};
  std::vector<std::uint32_t> rules;
};

struct Plan {
  std::vector<PlannedSite> sites;  // by node, then operand
  std::vector<RefusedSite> refused;
};

// A kernel's names, as a specification may spell them.
struct KernelNames {
  std::string mangled, demangled, brief;
};

// What a plan is made of, beside the nodes.
struct PlanSource {
  std::string graph_key;
  std::function<const KernelNames&(record::FunctionId)> kernel;
  std::function<std::string(record::StringId)> text;  // of scopes and operators
  // Whether a kernel of the graph's context may read the site, now.
  std::function<bool(std::uint64_t address, std::uint64_t bytes)> readable;
  // Of a site with print or check among the actions of its rules, called so.
  std::function<std::shared_ptr<values::Watched>(const std::string& name, std::uint32_t invocation)>
      watch;
  // Whether these need its bytes.
  std::function<bool(const values::Watched&, const std::vector<std::uint32_t>& rules)> needs_bytes;
  // Of memory that the graph itself allocates or frees: how many bytes are there right behind the
  // node; nullopt: it is no such memory.
  std::function<std::optional<std::uint64_t>(std::uint32_t node, std::uint64_t address)>
      graph_bytes;
};

// `nodes` as trace.proto orders them: each parent before the nodes inside it. Of those from `first`
// on; others before them count in no invocation.
Plan MakePlan(const spec::Specification& specification, std::span<const record::Node> nodes,
              const PlanSource& source, std::size_t first = 0);

// Why an executable of these nodes cannot be probed, in a copy of its graph or in the graph itself;
// nullopt: it can.
std::optional<Skip> WhyUncloned(std::span<const record::Node> nodes, std::uint64_t flags);
std::optional<Skip> WhyUnprobed(std::span<const record::Node> nodes, std::uint64_t flags);

}  // namespace graphtap::probe
