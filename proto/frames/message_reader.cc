#include "proto/frames/message_reader.h"

#include <optional>

namespace graphtap::frames {
namespace {

// A base-128 number at the front of *bytes, which moves behind it. nullopt: there is none.
std::optional<std::uint64_t> TakeVarint(std::string_view* bytes) {
  std::uint64_t value = 0;
  for (unsigned i = 0; i < 10 && i < bytes->size(); ++i) {
    const auto byte = static_cast<unsigned char>((*bytes)[i]);
    value |= std::uint64_t{byte & 0x7fu} << (7 * i);
    if (byte < 0x80) {
      bytes->remove_prefix(i + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

Found MessageReader::Next(std::string_view* message) {
  while (!NextInFrame(message)) {
    const Found found = frames_.Next(&frame_);
    if (found != Found::kOne) return found;
    rest_ = frame_.payload;
    messages_left_ = frame_.count;
  }
  return Found::kOne;
}

bool MessageReader::NextInFrame(std::string_view* message) {
  if (messages_left_ == 0) return false;
  const auto length = TakeVarint(&rest_);
  if (!length || *length > rest_.size()) {
    unreadable_ += messages_left_;
    messages_left_ = 0;
    return false;
  }
  --messages_left_;
  *message = rest_.substr(0, *length);
  rest_.remove_prefix(*length);
  place_ = {.frame = frame_.offset,
            .position = static_cast<std::uint32_t>(message->data() - frame_.payload.data()),
            .size = static_cast<std::uint32_t>(message->size())};
  return true;
}

Damage MessageReader::damage() const {
  Damage damage = frames_.damage();
  damage.unreadable_messages = unreadable_;
  return damage;
}

}  // namespace graphtap::frames
