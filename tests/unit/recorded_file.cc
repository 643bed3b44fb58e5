#include "tests/unit/recorded_file.h"

#include <google/protobuf/io/coded_stream.h>
#include <xxhash.h>
#include <zstd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string_view>

namespace graphtap {
namespace {

void Require(bool condition, const std::string& what) {
  if (!condition) throw std::runtime_error(what);
}

std::uint64_t LittleEndian(std::string_view header, unsigned from, unsigned to) {
  std::uint64_t value = 0;
  for (unsigned at = to; at > from; --at) {
    value = value << 8 | static_cast<unsigned char>(header[at - 1]);
  }
  return value;
}

std::uint32_t Check(std::string_view bytes) {
  return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::vector<Entry> DecodeAll(const std::string& payload) {
  std::vector<Entry> entries;
  google::protobuf::io::CodedInputStream input(
      reinterpret_cast<const std::uint8_t*>(payload.data()), static_cast<int>(payload.size()));
  while (static_cast<std::size_t>(input.CurrentPosition()) < payload.size()) {
    std::uint32_t length = 0;
    Require(input.ReadVarint32(&length), "no length before a message");
    const auto limit = input.PushLimit(static_cast<int>(length));
    Require(input.BytesUntilLimit() == static_cast<int>(length), "a message leaves the payload");
    Require(entries.emplace_back().ParseFromCodedStream(&input), "a message is unreadable");
    input.PopLimit(limit);
  }
  return entries;
}

std::string Decompress(std::string_view stored, std::uint32_t raw_length) {
  std::string payload(raw_length, '\0');
  Require(ZSTD_findFrameCompressedSize(stored.data(), stored.size()) == stored.size(),
          "the stored payload is not one zstd frame");
  const std::size_t length =
      ZSTD_decompress(payload.data(), payload.size(), stored.data(), stored.size());
  Require(length == raw_length, "a payload has another raw length");
  return payload;
}

RecordedFrame ReadFrame(std::string_view header, std::string_view stored) {
  RecordedFrame frame;
  Require(header.substr(0, 8) == std::string_view("\x89GTAP\r\n\x1a", 8), "no magic");
  Require(header[kMajorAt] == 1 && header[kMinorAt] == 0, "not version 1.0");
  const auto flags = static_cast<unsigned char>(header[kFlagsAt]);
  Require(flags <= 1, "unknown flags");
  frame.kind = static_cast<FrameKind>(header[kKindAt]);
  frame.raw = flags == kFlagRaw;
  frame.count = static_cast<std::uint32_t>(LittleEndian(header, 12, 16));
  frame.sequence = LittleEndian(header, 16, 24);
  frame.first_number = LittleEndian(header, 24, 32);
  const auto raw_length = static_cast<std::uint32_t>(LittleEndian(header, 36, 40));
  Require(LittleEndian(header, 40, 44) == Check(stored), "the payload check is wrong");
  Require(LittleEndian(header, 44, 48) == Check(header.substr(0, 44)), "the header check is wrong");
  frame.stored = stored;
  frame.payload = frame.raw ? frame.stored : Decompress(stored, raw_length);
  Require(frame.payload.size() == raw_length, "a payload has another raw length");
  frame.entries = DecodeAll(frame.payload);
  Require(frame.entries.size() == frame.count, "a frame has another number of messages");
  return frame;
}

}  // namespace

std::vector<Entry> RecordedFile::Entries(FrameKind kind) const {
  std::vector<Entry> entries;
  for (const RecordedFrame& frame : frames) {
    if (frame.kind != kind) continue;
    entries.insert(entries.end(), frame.entries.begin(), frame.entries.end());
  }
  return entries;
}

RecordedFile ReadRecordedFile(const std::string& path) {
  std::ifstream stream(path, std::ios::binary);
  Require(stream.is_open(), "cannot open " + path);
  const std::string bytes{std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
  RecordedFile file;
  std::array<std::uint64_t, 256> numbers{};
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t stored = rest.size() < 48 ? 0 : LittleEndian(rest, 32, 36);
    if (rest.size() < 48 + stored) {
      file.unfinished_bytes = rest.size();
      break;
    }
    const RecordedFrame frame = ReadFrame(rest.substr(0, 48), rest.substr(48, stored));
    Require(frame.sequence == file.frames.size(), "a frame is out of sequence");
    auto& number = numbers[static_cast<std::size_t>(frame.kind)];
    Require(frame.first_number == number, "a frame has another first number");
    number += frame.count;
    file.frames.push_back(frame);
    rest.remove_prefix(48 + stored);
  }
  return file;
}

std::string OnlyFileIn(const std::string& folder) {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".gtap") found.push_back(entry.path());
  }
  Require(found.size() == 1, std::to_string(found.size()) + " files in " + folder);
  return found.front();
}

Entry DecodeMessage(const std::string& delimited) {
  const std::vector<Entry> entries = DecodeAll(delimited);
  Require(entries.size() == 1, "not one message");
  return entries.front();
}

}  // namespace graphtap
