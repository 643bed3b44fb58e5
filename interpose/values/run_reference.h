// Run reference: the values of another run, of the process that is the same there: of the same rank
// and program, the same in the order of their starts. Its file is indexed when the first site is
// planned. Owner, threads, failure, units: reference.h.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "interpose/values/reference.h"
#include "interpose/values/run_index.h"

namespace graphtap::values {

class RunReference final : public Reference {
 public:
  // `file`: nullptr: the run has no such process.
  RunReference(std::string folder, std::unique_ptr<frames::ByteSource> file,
               std::uint64_t most_index_bytes);

  bool WantsBytes(const Watched& watched) override;
  Expected Find(const Watched& watched, std::uint64_t replay) override;
  bool Read(const Expected& expected, std::uint64_t offset, std::span<std::byte> to) override;

  // The file of the process in `folder` that is as this one.
  static std::unique_ptr<Reference> Open(const std::string& folder, session::Session& session,
                                         std::string* error);

 private:
  RunIndex* Index();

  const std::string folder_;
  const std::unique_ptr<frames::ByteSource> file_;
  const std::uint64_t most_index_bytes_;
  std::mutex mutex_;  // while the index is made
  std::optional<RunIndex> index_;
};

}  // namespace graphtap::values
