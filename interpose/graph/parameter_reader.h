// Parameter reader: what a node does, from the driver's structures to a record. Used for whole
// graphs and for single changes of an executable. Owner: the caller, for one graph or one call.
// Threads: one. Failure: what the driver refuses to tell is recorded with its error; may throw
// bad_alloc. Units: bytes.
#pragma once

#include <cstddef>
#include <span>

#include "interpose/graph/functions.h"
#include "interpose/memory/address_book.h"
#include "interpose/session/session.h"

namespace graphtap::graph {

// Raw bytes that are kept of a parameter larger than 8 bytes.
inline constexpr std::size_t kMostParameterBytes = 256;

// Are the bytes of a parameter that is no known pointer likely to be others in another run of the
// program? Those of a structure (padding), of what looks like an address of the process, of an
// empty class, which is passed as one byte that nobody set.
bool MayVary(std::span<const std::byte> parameter);

class ParameterReader {
 public:
  ParameterReader(session::Session& session, Functions& functions,
                  const memory::AddressBook& addresses)
      : session_(session), functions_(functions), lookup_(addresses) {}

  // Memory that a graph's own nodes allocate.
  void AddOfGraph(const std::vector<memory::Allocation>& allocations);

  // Each takes what the driver call of the same name gives or takes.
  record::NodeParameters Kernel(const CUDA_KERNEL_NODE_PARAMS_v2& parameters);
  record::NodeParameters Kernel(const CUDA_KERNEL_NODE_PARAMS_v1& parameters);
  record::NodeParameters Memcpy(const CUDA_MEMCPY3D& copy);
  record::NodeParameters Memset(const CUDA_MEMSET_NODE_PARAMS& fill);
  record::NodeParameters Host(const void* function);
  record::NodeParameters Event(CUgraphNodeType kind, CUevent event);
  record::NodeParameters Allocation(const CUDA_MEM_ALLOC_NODE_PARAMS& parameters);
  record::NodeParameters Free(CUdeviceptr address);
  record::NodeParameters Generic(const CUgraphNodeParams& parameters);
  static record::NodeParameters Plain(CUgraphNodeType kind);
  static record::NodeParameters Unread(CUgraphNodeType kind, CUresult error);

  // Adds the attributes that a kernel node of a graph has set.
  void AddAttributes(CUgraphNode node, record::KernelNode* kernel);

  // Fills in the extents of all operands of nodes that are known together: a pointer's site ends
  // where another known pointer into its allocation begins. Of less than a whole graph, not all
  // pointers are known: nothing is exact but what the driver says.
  void SetExtents(const std::vector<record::NodeParameters*>& nodes, bool whole_graph);

 private:
  void ReadParameter(std::uint32_t index, const std::byte* bytes, std::size_t size,
                     record::KernelNode* kernel, std::vector<record::Operand>* operands);

  session::Session& session_;
  Functions& functions_;
  memory::Lookup lookup_;
};

}  // namespace graphtap::graph
