// DumpText: records as protobuf text, one `entry { … }` a record.
// Owner: the command, who keeps the process alive. Threads: one. Failure: none.
#pragma once

#include <memory>
#include <string>

#include "analyzer/model/process.h"
#include "analyzer/model/run.h"
#include "proto/trace.pb.h"

namespace google::protobuf {
class Message;
}

namespace graphtap::report {

// Prints a record as it is, with what its references point to as comments. The text of a whole
// file, behind its head line, can be packed again.
class DumpPrinter {
 public:
  explicit DumpPrinter(const model::Process& process);
  ~DumpPrinter();
  DumpPrinter(const DumpPrinter&) = delete;
  DumpPrinter& operator=(const DumpPrinter&) = delete;

  std::string Head() const;  // file: "<name>"
  std::string Text(const Entry& entry) const;

 private:
  class Printer;
  const model::Process& process_;
  std::unique_ptr<Printer> printer_;
};

// The text of what is equal in two runs of one deterministic program: only fields that trace.proto
// marks stable, references as what they point to, sorted by process key, graph key, executable,
// replay, node. The first `limit` records of each process; 0: all.
std::string StableDump(const model::Run& run, std::size_t limit);

}  // namespace graphtap::report
