// Names: the readable forms of a kernel's mangled name, and what its signature says.
// Pure functions, any thread, no failure: a name that is not mangled is its own readable form.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "proto/dtype.h"

namespace graphtap::names {

// A name whose readable form would be longer stays as it is.
inline constexpr std::size_t kMostNameBytes = 64u << 10;

// As c++filt prints it: "void at::fill<float>(float*, int)". A name that no compiler writes and
// that demanglers hang on stays as it is.
std::string Demangle(const std::string& mangled);

// The short name, by which kernels are selected, grouped and paired: without return type, template
// arguments, parameters. Anonymous namespaces are "{anonymous}", lambdas "{lambda}", whatever
// number the compiler gave them: "at::fill". `demangled` is what Demangle() gave.
std::string ShortName(std::string_view demangled);

// The element type that parameter `parameter` (from 0) points to, as the signature says. kUnknown:
// no pointer, a pointer to something else (a struct, void, another pointer, char: raw bytes), a
// name without signature, no such parameter.
Dtype ParameterDtype(std::string_view demangled, std::uint32_t parameter);

// "forward/scale_add"; without a scope the label alone.
std::string InScope(std::string_view scope, std::string_view label);

// Names the nodes of a graph as observations know them: the scope path and the kernel's short name,
// "memcpy" or "memset"; and which of that name a node is, in the order of the nodes.
class NodeNamer {
 public:
  struct Name {
    std::string text;  // "forward/scale_add"
    std::uint32_t invocation = 0;
  };
  // Of the next node; `label` is what stands behind the scope.
  Name Next(std::string_view scope, std::string_view label);

 private:
  std::unordered_map<std::string, std::uint32_t> invocations_;
};

}  // namespace graphtap::names
