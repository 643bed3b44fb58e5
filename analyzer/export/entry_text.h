// EntryText: reads what `graphtap dump` printed back into messages. The text is a sequence of
//   file: "<name>.gtap"     the messages that follow belong into this file
//   entry { … }             one Entry of proto/trace.proto in protobuf's text format
// with # comments anywhere.
// Pure functions, any thread. Failure: a status of one line that begins with line:column.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "proto/trace.pb.h"

namespace graphtap::exporting {

struct TextFile {
  std::string name;  // "" when the text does not say
  std::vector<Entry> entries;
};

absl::StatusOr<std::vector<TextFile>> ParseEntryText(std::string_view text);

}  // namespace graphtap::exporting
