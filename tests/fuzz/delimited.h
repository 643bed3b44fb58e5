// Delimited messages: a sequence of encoded messages, each behind its length, as frames hold them.
// Pure functions, any thread. No failure: what is no whole message ends the sequence. Units: bytes.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace graphtap::fuzz {

// They lie in `messages`.
std::vector<std::string_view> SplitDelimited(std::string_view messages);

void AppendDelimited(std::string_view message, std::string* messages);

// A run file with those of the messages that can be read.
std::string RunFileOf(const std::vector<std::string_view>& messages);

}  // namespace graphtap::fuzz
