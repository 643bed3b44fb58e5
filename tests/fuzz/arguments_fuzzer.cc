// What users name on the command line, one a line: p0, g3.v1, x3, a pair for --map, a run file.
#include <string>

#include "analyzer/model/graph_selection.h"
#include "analyzer/model/run_file_name.h"
#include "analyzer/tensors/pair_runs.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

void CheckStatus(const absl::Status& status) {
  Require(status.ok() == status.message().empty(), "a refusal says why");
}

void CheckArguments(std::string_view input) {
  Feed feed(input);
  model::GraphSelection selection;
  CheckStatus(model::SelectProcess(feed.Until('\n'), &selection));
  CheckStatus(model::SelectGraph(feed.Until('\n'), &selection));
  CheckStatus(model::SelectExecutable(feed.Until('\n'), &selection));
  tensors::PairOptions pairing;
  CheckStatus(tensors::AddToMap(std::string(feed.Until('\n')), &pairing));
  Require(pairing.map.size() <= 1, "a pair is one pair");
  const auto file = feed.Until('\n');
  const auto name = model::ParseRunFileName(file);
  if (!name) return;
  const auto again = model::ParseRunFileName(model::FormatRunFileName(*name));
  Require(again && again->host == name->host && again->pid == name->pid &&
              again->start_realtime_ns == name->start_realtime_ns,
          "the name of a run file says what it was made of");
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckArguments(graphtap::fuzz::Input(data, size));
  return 0;
}
