// Messages that contradict each other, in a run that a check compares with: the job's index of them
// is asked for each observation that the analyzer finds, and for its bytes. First byte: how much
// memory the index may take. Then messages as a frame has them, each behind its length.
#include <array>
#include <string>

#include "analyzer/model/run.h"
#include "interpose/values/run_index.h"
#include "tests/fuzz/delimited.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

void AskFor(const model::Observation& seen, const std::string& executable,
            values::RunIndex* index) {
  if (seen.site == nullptr) return;
  const std::string key =
      executable + '/' + seen.site->name + '[' + std::to_string(seen.site->invocation) + ']';
  const auto* found = index->Find(key, seen.replay);
  if (found == nullptr) return;
  Require(found->replay == seen.replay, "what is found is of the replay that was asked for");
  Require(!index->SiteOf(*found).copied || index->HasBytes(key), "a copied site has bytes");
  std::array<std::byte, 96> bytes{};
  if (found->payload) index->Read(*found->payload, seen.payload_bytes / 2, bytes);
}

void CheckReference(Feed feed) {
  static MemoryFile file("reference");
  const std::uint64_t most_bytes = std::uint64_t{feed.Byte()} << 7;
  const std::string bytes = RunFileOf(SplitDelimited(feed.Rest()));
  const auto source = frames::OpenBytes(bytes);
  values::RunIndex index(*source, most_bytes);
  file.Write(bytes);
  const auto run = model::LoadRun(file.path());
  if (!run.ok()) return;
  for (const auto& process : run->processes) {
    for (const auto& [number, executable] : process->executables) {
      for (const auto& seen : executable.observations) AskFor(seen, executable.key, &index);
    }
  }
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  graphtap::fuzz::CheckReference(graphtap::fuzz::Feed(graphtap::fuzz::Input(data, size)));
  return 0;
}
