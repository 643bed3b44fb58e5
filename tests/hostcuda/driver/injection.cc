#include "tests/hostcuda/driver/injection.h"

#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "tests/hostcuda/driver/exports.h"
#include "tests/hostcuda/twin.h"

namespace hostcuda {
namespace {

// No result: the call never returns.
constexpr auto kHold = static_cast<CUresult>(1 << 30);

struct Rule {
  int nth = 0;  // 0: every call
  CUresult result = CUDA_SUCCESS;
  int calls = 0;
};

bool ParseNumber(std::string_view text, int* number) {
  const char* end = text.data() + text.size();
  auto parsed = std::from_chars(text.data(), end, *number);
  return parsed.ec == std::errc{} && parsed.ptr == end && *number > 0;
}

bool IsBase(std::string_view name) {
  for (const EntryPoint& entry : EntryPoints()) {
    if (name == entry.base) return true;
  }
  return false;
}

class Rules {
 public:
  Rules() {
    const char* list = std::getenv("HOSTCUDA_FAIL");
    std::istringstream items(list == nullptr ? "" : list);
    for (std::string item; std::getline(items, item, ',');) {
      if (!item.empty() && !AddItem(item)) {
        std::fprintf(
            stderr,
            "hostcuda: HOSTCUDA_FAIL: \"%s\": wanted name:n:result, with the base name of an "
            "entry point, a call number from 1 or *, a CUresult from 1 or hold\n",
            item.c_str());
        std::exit(2);
      }
    }
  }

  void Add(const std::string& name, int nth, CUresult result) {
    std::lock_guard lock(mutex_);
    rules_[name].push_back({nth, result});
    active_ = true;
  }

  CUresult Next(const char* base) {
    if (!active_) return CUDA_SUCCESS;
    std::lock_guard lock(mutex_);
    auto found = rules_.find(base);
    if (found == rules_.end()) return CUDA_SUCCESS;
    CUresult result = CUDA_SUCCESS;
    for (Rule& rule : found->second) {
      ++rule.calls;
      if (rule.nth == 0 || rule.nth == rule.calls) result = rule.result;
    }
    return result;
  }

 private:
  bool AddItem(const std::string& item) {
    std::size_t first = item.find(':');
    std::size_t second = item.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) return false;
    std::string name = item.substr(0, first);
    std::string_view nth_text = std::string_view(item).substr(first + 1, second - first - 1);
    int nth = 0;
    int result = 0;
    if (nth_text != "*" && !ParseNumber(nth_text, &nth)) return false;
    const auto result_text = std::string_view(item).substr(second + 1);
    if (result_text == "hold") {
      result = kHold;
    } else if (!ParseNumber(result_text, &result)) {
      return false;
    }
    if (!IsBase(name)) return false;
    Add(name, nth, static_cast<CUresult>(result));
    return true;
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<Rule>, std::less<>> rules_;
  std::atomic<bool> active_{false};
};

Rules& AllRules() {
  static auto& rules = *new Rules;
  return rules;
}

}  // namespace

CUresult InjectedFailure(const char* base) {
  const CUresult result = AllRules().Next(base);
  while (result == kHold) pause();
  return result;
}

}  // namespace hostcuda

extern "C" void hostcuda_fail(const char* name, int nth, int result) {
  if (!hostcuda::IsBase(name)) {
    std::fprintf(stderr, "hostcuda: hostcuda_fail: %s is not the base name of an entry point\n",
                 name);
    std::exit(2);
  }
  hostcuda::AllRules().Add(name, nth, static_cast<CUresult>(result));
}
