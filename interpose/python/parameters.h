// Parameters: the tensors of all modules of PyTorch that are alive, by their qualified names, where
// they lie in memory. No code of the job runs: modules are known by their type, their parts are
// read from their dictionaries, addresses are asked of PyTorch's own function, and only of tensors
// of PyTorch's own types. Owner: nothing is kept. Threads: one that holds the GIL, where Python
// code could run. Failure: nullopt: PyTorch is not there, or in no state to be asked. Units: bytes.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "interpose/python/interpreter.h"

namespace graphtap::python {

struct Parameter {
  std::string name;  // "layers.3.attn.qkv.weight"
  std::uint64_t address = 0, bytes = 0;
  auto operator<=>(const Parameter&) const = default;
};

// Sorted, each once. Names count from modules that no other one holds; where several of these have
// one of a name, the type of theirs stands in front: "Encoder.weight".
std::optional<std::vector<Parameter>> ReadParameters(const Interpreter& interpreter);

}  // namespace graphtap::python
