// Actions: what print and check do with values as they are drained. Owner: the shadows. Threads:
// WantsBytes and OnFailure from any; Begin and what it gives from the drain.
// Failure: a reference that cannot be opened is said by Open; later, what cannot be done is counted
// as an impossible check. May throw bad_alloc. Units: bytes.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "interpose/values/check.h"
#include "interpose/values/print_line.h"
#include "interpose/values/watched.h"

namespace graphtap::values {

class Actions;

// What is done with one arrival.
class ArrivalActions {
 public:
  ArrivalActions(Actions& owner, Watched& watched, const Arrival& arrival);

  void Add(std::span<const std::byte> piece);
  // All values of the replay have come.
  void Conclude(std::optional<std::uint64_t> hash);

 private:
  struct RuleCheck {
    std::uint32_t rule;
    Check check;
  };
  void Begin(std::uint32_t rule);

  Actions& owner_;
  Watched& watched_;
  const Arrival arrival_;
  std::optional<PrintLine> print_;
  std::vector<RuleCheck> checks_;
};

class Actions {
 public:
  explicit Actions(session::Session& session) : session_(session) {}

  // Opens all references. False: *error is one line.
  bool Open(std::string* error);

  // Whether print or a check is among the actions of these rules.
  bool Watches(const std::vector<std::uint32_t>& rules) const;
  // Whether these need the bytes of the site.
  bool WantsBytes(const Watched& watched, const std::vector<std::uint32_t>& rules);

  // A check failed, and the job is to end.
  bool MustEnd() const noexcept { return must_end_; }

 private:
  friend class ArrivalActions;
  Reference* ReferenceOf(const spec::Action& action) const;
  void Settle(std::uint32_t rule, Check& check, const Arrival& arrival, Watched& watched,
              std::optional<std::uint64_t> hash);
  std::string RuleText(std::uint32_t rule) const;

  session::Session& session_;
  std::map<std::string, std::unique_ptr<Reference>> references_;  // by path
  std::set<std::uint32_t> told_failed_, told_impossible_;         // rules
  std::vector<std::byte> scratch_;
  bool must_end_ = false;
};

}  // namespace graphtap::values
