// Frames with right checks that say anything of what they hold, foreign bytes between them, one
// byte changed. What the reader gives are frames that stand in the file, each once, in order.
#include <string>
#include <vector>

#include "analyzer/reader/byte_source.h"
#include "analyzer/reader/entry_reader.h"
#include "proto/frames/frame_reader.h"
#include "tests/fuzz/feed.h"
#include "tests/fuzz/frame_builder.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {
namespace {

constexpr std::size_t kMostFrames = 8;

// Each choice is a bit: a plain frame of the right numbers is what zeros give.
std::string TakeFrame(Feed* feed, std::uint64_t sequence) {
  const std::uint8_t unusual = feed->Byte();
  FrameContent content;
  content.kind = static_cast<std::uint8_t>(1 + feed->Byte() % 4);
  content.flags = kFlagRaw;
  content.count = feed->Byte();
  content.sequence = sequence;
  content.stored = feed->Bytes(feed->Byte());
  content.raw_length = static_cast<std::uint32_t>(content.stored.size());
  if ((unusual & 1) != 0) content.flags = feed->Byte();
  if ((unusual & 2) != 0) content.raw_length = static_cast<std::uint32_t>(feed->Number(4));
  if ((unusual & 4) != 0) content.longer = static_cast<std::uint32_t>(feed->Number(4));
  if ((unusual & 8) != 0) content.sequence = feed->Number(8);
  if ((unusual & 16) != 0) content.first_number = feed->Number(8);
  if ((unusual & 32) != 0) content.kind = feed->Byte();
  if ((unusual & 64) != 0) content.count = static_cast<std::uint32_t>(feed->Number(4));
  std::string frame = BuildFrame(content);
  if ((unusual & 128) != 0) frame.insert(0, feed->Bytes(feed->Byte() % 64));
  return frame;
}

std::string TakeFile(Feed* feed) {
  std::string file;
  const std::size_t frames = feed->Byte() % (kMostFrames + 1);
  for (std::size_t i = 0; i < frames; ++i) file += TakeFrame(feed, i);
  const auto flip = feed->Byte();
  const auto at = feed->Number(2);
  if (at < file.size()) file[at] = static_cast<char>(file[at] ^ flip);
  return file;
}

void CheckDamage(const frames::Damage& damage, std::size_t size) {
  Require(damage.bytes + damage.unfinished_bytes <= size, "no more is damaged than there is");
  Require((damage.places == 0) == (damage.bytes == 0), "damage has a place");
}

void CheckFrames(const std::string& file) {
  const auto source = reader::OpenBytes(file);
  frames::FrameReader reader(*source);
  frames::Frame frame;
  std::uint64_t behind = 0;
  while (reader.Next(&frame) == frames::Found::kOne) {
    Require(frame.offset >= behind && frame.offset + kFrameHeaderBytes <= file.size(),
            "frames come in order");
    Require(frame.payload.size() <= kFrameMaxRawBytes, "a payload is bounded");
    Require(reader.PayloadAt(frame.offset) == frame.payload, "a payload is found again");
    behind = frame.offset + kFrameHeaderBytes;
  }
  CheckDamage(reader.damage(), file.size());
}

void CheckEntries(const std::string& file) {
  const auto source = reader::OpenBytes(file);
  reader::EntryReader entries(*source);
  Entry entry;
  std::size_t bytes = 0;
  while (entries.Next(&entry).value_or(false)) bytes += entries.place().size + 1;
  Require(bytes <= kMostFrames * std::size_t{kFrameMaxRawBytes}, "messages are in payloads");
  CheckDamage(entries.damage(), file.size());
}

}  // namespace
}  // namespace graphtap::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace graphtap::fuzz;
  Feed feed(Input(data, size));
  const auto file = TakeFile(&feed);
  CheckFrames(file);
  CheckEntries(file);
  return 0;
}
