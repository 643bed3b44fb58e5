// Modules: what is read of PyTorch's modules and tensors, as objects of the interpreter.
// Owner: the call that reads. Threads: one that holds the GIL. Failure: empty results; errors of
// the interpreter are cleared. Units: bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "interpose/python/reference.h"

namespace graphtap::python {

class Modules {
 public:
  explicit Modules(const Interpreter& interpreter) : interpreter_(interpreter) {}

  // False: PyTorch is not imported, or functions of the job stand in the place of its own.
  bool Find();

  // All that are alive.
  std::vector<Reference> Alive();

  // The entries of one of a module's own dictionaries, if that is a plain one.
  using Entries = std::vector<std::pair<std::string, Reference>>;
  Entries EntriesOf(void* module, const char* dictionary);

  bool IsModule(void* object);
  std::string TypeNameOf(void* object);

  // nullopt: it is of a type of the job, or has no memory.
  struct Memory {
    std::uint64_t address = 0, bytes = 0;
  };
  std::optional<Memory> MemoryOf(void* tensor);

 private:
  Reference TypeIn(const char* module, const char* name);
  std::optional<std::uint64_t> Ask(const Reference& method, void* object);
  bool FunctionsAreReplaced();
  void Collect(std::vector<Reference>* modules, void* object);

  const Interpreter& interpreter_;
  std::vector<Reference> types_;  // modules' first, then those of tensors
  std::vector<Reference> methods_;
  std::unordered_map<void*, bool> is_module_;  // by type
};

}  // namespace graphtap::python
