// A run file of any bytes, read as `graphtap info` reads it.
#include "analyzer/model/run.h"
#include "analyzer/report/info_report.h"
#include "tests/fuzz/memory_file.h"
#include "tests/fuzz/target.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphtap;
  static fuzz::MemoryFile file("run");
  file.Write(fuzz::Input(data, size));
  const auto run = model::LoadRun(file.path());
  if (run.ok()) report::InfoText(*run, 0);
  return 0;
}
