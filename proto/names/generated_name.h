// Generated name: "c2qv…", the name of a file of code that torch.compile's Inductor generated, a
// hash of what it says: "…/2q/c2qv….py". Pure function, any thread. Failure: "": it is no such
// file.
#pragma once

#include <string_view>

namespace graphtap::names {

std::string_view GeneratedName(std::string_view file);

}  // namespace graphtap::names
