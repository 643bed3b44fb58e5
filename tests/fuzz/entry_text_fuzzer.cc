// The text that `graphtap pack` takes: what it accepts is written, and read back as the same
// messages.
#include "analyzer/export/entry_text.h"
#include "analyzer/export/frame_writer.h"
#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

// Messages are sorted by kind into frames of their own, in order.
void CheckPacked(const exporting::TextFile& file) {
  exporting::FrameWriter writer(exporting::Compression::kRaw);
  for (const auto& entry : file.entries) writer.Append(entry);
  const auto source = reader::OpenBytes(writer.Take());
  reader::EntryReader entries(*source);
  Entry entry;
  for (const auto& expected : file.entries) {
    Require(entries.Next(&entry).value_or(false), "what was packed is read");
    Require(entry.SerializeAsString() == expected.SerializeAsString(), "as it was");
  }
  Require(!entries.Next(&entry).value_or(true), "and nothing else");
  Require(!entries.damage().damaged(), "without damage");
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphtap;
  const auto files = exporting::ParseEntryText(fuzz::Input(data, size));
  if (!files.ok()) return 0;
  for (const auto& file : *files) fuzz::CheckPacked(file);
  return 0;
}
