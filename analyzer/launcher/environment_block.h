// EnvironmentBlock: a copy of a process environment that can be changed and handed to exec.
// Owner: the caller; it holds all its strings. Threads: none shared. Failure: none. A variable that
// stands twice keeps its first value, as getenv sees it; entries without '=' are dropped.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace graphtap::launcher {

class EnvironmentBlock {
 public:
  EnvironmentBlock() = default;

  // A copy of a null-terminated array of NAME=value strings, such as environ.
  explicit EnvironmentBlock(const char* const* entries);

  // The value, or nullptr when the variable is not set. Valid until the variable is set again.
  const char* Get(std::string_view name) const;
  void Set(std::string_view name, std::string_view value);

  // Puts `library` last in LD_PRELOAD, once; the other preloads stay, in their order.
  void AppendPreload(std::string_view library);

  // The variables as NAME=value strings.
  std::vector<std::string> Entries() const;

 private:
  std::map<std::string, std::string, std::less<>> variables_;
};

}  // namespace graphtap::launcher
