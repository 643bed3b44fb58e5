// launch.json, which anything may have written.
#include <string>

#include "analyzer/model/launch.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(graphtap::fuzz::Input(data, size));
  const auto launch = graphtap::model::ParseLaunch(text, "launch.json");
  graphtap::fuzz::Require(launch.ok() || launch.status().message().find("launch.json: ") == 0,
                          "an error names the file");
  return 0;
}
