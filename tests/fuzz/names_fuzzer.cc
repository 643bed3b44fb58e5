// Mangled names: whatever stands in a file, a readable name is of a bounded size.
#include <string>

#include "proto/names/names.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using graphtap::fuzz::Require;
  namespace names = graphtap::names;
  const std::string name(graphtap::fuzz::Input(data, size));
  const auto readable = names::Demangle(name);
  Require(readable == name || readable.size() <= names::kMostNameBytes,
          "a readable name is not too long");
  Require(readable == name || name.starts_with("_Z"), "other names stay");
  const auto brief = names::ShortName(readable);
  Require(brief.empty() == readable.empty(), "a name has a short name");
  Require(brief.size() <= 2 * readable.size(), "a short name is short");
  names::ParameterDtype(readable, 0);
  names::ParameterDtype(readable, 1);
  return 0;
}
