// Reference: what checks compare with, opened once: gives the expected values of a site in a
// replay, and their bytes as they are needed. Owner: the actions. Threads: WantsBytes from any,
// which may wait while another thread prepares; the others from the drain. Failure: what cannot be
// told is said by Expected::why_not. May throw bad_alloc. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "interpose/session/session.h"
#include "interpose/values/watched.h"
#include "proto/dtype.h"

namespace graphtap::values {

// What a reference says of one arrival.
struct Expected {
  std::string why_not;  // not empty: nothing, and why
  Dtype dtype = Dtype::kUnknown;
  std::vector<std::uint64_t> shape{};  // empty: not known
  std::uint64_t extent = 0;            // of the site, or of the array
  bool exact = true;                   // else the extent is a bound
  bool of_user = false;                // an array: its length counts where the site's is a bound
  std::optional<std::uint64_t> hash{};
  std::uint64_t bytes = 0;  // that can be read, from the first on
  std::uint64_t id = 0;     // for Read
};

class Reference {
 public:
  // nullptr: *error is one line.
  static std::unique_ptr<Reference> Open(const std::string& path, session::Session& session,
                                         std::string* error);
  virtual ~Reference() = default;

  // Whether checks of this site compare bytes in any replay; else hashes decide.
  virtual bool WantsBytes(const Watched& watched) = 0;
  virtual Expected Find(const Watched& watched, std::uint64_t replay) = 0;
  // False: not all of them are there.
  virtual bool Read(const Expected& expected, std::uint64_t offset, std::span<std::byte> to) = 0;
};

}  // namespace graphtap::values
