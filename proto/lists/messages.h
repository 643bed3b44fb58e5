// Messages: what the preload library says on stderr and in the run file, from messages.inc.
// Both halves use the numbers and texts. Constants, no failure.
#pragma once

#include <array>
#include <cstdint>

namespace graphtap {

enum class Severity : std::uint8_t { info, warning, error };

enum class MessageCode : std::uint32_t {
#define GT_MESSAGE(number, name, severity, text) name = number,
#include "proto/lists/messages.inc"
#undef GT_MESSAGE
};

struct MessageInfo {
  MessageCode code;
  const char* name;
  Severity severity;
  const char* text;
};

inline constexpr auto kMessages = std::to_array<MessageInfo>({
#define GT_MESSAGE(number, name, severity, text) \
  {MessageCode::name, #name, Severity::severity, text},
#include "proto/lists/messages.inc"
#undef GT_MESSAGE
});

}  // namespace graphtap
