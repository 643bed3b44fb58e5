#include "tests/fuzz/delimited.h"

#include <google/protobuf/io/coded_stream.h>

#include <array>

#include "analyzer/export/frame_writer.h"

namespace graphtap::fuzz {
namespace {

using google::protobuf::io::CodedInputStream;
using google::protobuf::io::CodedOutputStream;

}  // namespace

std::vector<std::string_view> SplitDelimited(std::string_view messages) {
  std::vector<std::string_view> split;
  while (!messages.empty()) {
    CodedInputStream stream(reinterpret_cast<const std::uint8_t*>(messages.data()),
                            static_cast<int>(messages.size()));
    std::uint32_t size = 0;
    if (!stream.ReadVarint32(&size)) break;
    messages.remove_prefix(static_cast<std::size_t>(stream.CurrentPosition()));
    if (size > messages.size()) break;
    split.push_back(messages.substr(0, size));
    messages.remove_prefix(size);
  }
  return split;
}

void AppendDelimited(std::string_view message, std::string* messages) {
  std::array<std::uint8_t, 10> size{};
  auto* const end = CodedOutputStream::WriteVarint32ToArray(
      static_cast<std::uint32_t>(message.size()), size.data());
  messages->append(size.begin(), size.begin() + (end - size.data()));
  messages->append(message);
}

std::string RunFileOf(const std::vector<std::string_view>& messages) {
  exporting::FrameWriter writer(exporting::Compression::kRaw);
  for (const auto message : messages) {
    Entry entry;
    if (!entry.ParseFromArray(message.data(), static_cast<int>(message.size()))) continue;
    writer.Append(entry);
  }
  return writer.Take();
}

}  // namespace graphtap::fuzz
