// Op facts: what the framework's registry says of an operator, once and for all: its name, whether
// it is only made of other operators, which arguments it writes, which returns are its arguments
// again. Owner: a table for the whole process; what it gave out stays. Threads: any; a known
// operator is found without a lock. Failure: bad_alloc; nullptr for what is no operator.
#pragma once

#include <ATen/record_function.h>

#include <cstdint>
#include <string>
#include <vector>

namespace graphtap::torch {

struct OpArgument {
  bool tensor = false;  // one tensor, or none where the schema allows it; no list
  bool written = false;
};

struct OpReturn {
  bool alias = false;    // of an argument: a view of it, or itself
  bool written = false;  // an argument that the operator writes and then returns
};

// Whether it sets the elements of what it gives.
enum class Fills : std::uint8_t {
  kYes,
  kIfDeterministic,  // it makes room; the job may want that filled for the sake of determinism
  kNo,
};

struct OpFacts {
  std::string name;        // "aten::add.Tensor"
  bool composite = false;  // has a kernel that calls other operators, for all backends and autograd
  bool writes = false;     // any argument
  Fills fills = Fills::kYes;
  std::vector<OpArgument> arguments;
  std::vector<OpReturn> returns;
};

// nullptr: the event is a range with a name, no call of an operator.
const OpFacts* FactsOf(const at::RecordFunction& event);

}  // namespace graphtap::torch
