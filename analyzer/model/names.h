// Names: the readable forms of a kernel's mangled name.
// Pure functions, any thread, no failure: a name that is not mangled is its own readable form.
#pragma once

#include <string>
#include <string_view>

namespace graphtap::model {

// As c++filt prints it: "void at::fill<float>(float*, int)".
std::string Demangle(const std::string& mangled);

// The short name, by which kernels are selected, grouped and paired: without return type, template
// arguments, parameters. Anonymous namespaces are "{anonymous}", lambdas "{lambda}", whatever
// number the compiler gave them: "at::fill". `demangled` is what Demangle() gave.
std::string ShortName(std::string_view demangled);

}  // namespace graphtap::model
