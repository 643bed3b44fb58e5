#include "tests/fuzz/frame_builder.h"

#include <xxhash.h>

#include <algorithm>

#include "proto/frame_format.h"

namespace graphtap::fuzz {
namespace {

void Store(std::uint64_t value, unsigned at, unsigned bytes, std::string* frame) {
  for (unsigned i = 0; i < bytes; ++i) (*frame)[at + i] = static_cast<char>(value >> (8 * i));
}

}  // namespace

std::string BuildFrame(const FrameContent& content) {
  std::string frame(kFrameHeaderBytes, '\0');
  std::copy(kFrameMagic.begin(), kFrameMagic.end(), frame.begin());
  Store(content.major, kMajorAt, 1, &frame);
  Store(content.kind, kKindAt, 1, &frame);
  Store(content.flags, kFlagsAt, 1, &frame);
  Store(content.count, kCountAt, 4, &frame);
  Store(content.sequence, kSequenceAt, 8, &frame);
  Store(content.first_number, kFirstNumberAt, 8, &frame);
  Store(content.stored.size() + content.longer, kStoredLengthAt, 4, &frame);
  Store(content.raw_length, kRawLengthAt, 4, &frame);
  const auto payload_check = XXH3_64bits(content.stored.data(), content.stored.size());
  Store(payload_check, kPayloadCheckAt, 4, &frame);
  Store(XXH3_64bits(frame.data(), kHeaderCheckAt), kHeaderCheckAt, 4, &frame);
  return frame.append(content.stored);
}

}  // namespace graphtap::fuzz
