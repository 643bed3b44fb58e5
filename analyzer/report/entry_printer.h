// EntryPrinter: protobuf's text printer with a hook on the fields that are references.
// Owner: the dump. Threads: one. Failure: none.
#pragma once

#include <google/protobuf/text_format.h>

#include <functional>
#include <string>

#include "proto/trace.pb.h"

namespace graphtap::report {

// The text that stands for the value of a reference, everything behind "field: ".
using ReferenceText = std::function<std::string(Reference kind, std::uint32_t id)>;

// The words that a number stands for ("CUDA_ERROR_…"), as a comment; "" for none.
enum class Words { kNone, kComments };

class EntryPrinter {
 public:
  EntryPrinter(ReferenceText reference_text, Words words);

  // "entry {\n  …}\n"
  std::string Text(const Entry& entry) const;

 private:
  void Register(const google::protobuf::Descriptor& message);

  ReferenceText reference_text_;
  Words words_;
  google::protobuf::TextFormat::Printer printer_;
};

// As a string of the text format, in quotes, on one line.
std::string Quoted(const std::string& text);

}  // namespace graphtap::report
