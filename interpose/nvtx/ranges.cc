#include "interpose/nvtx/ranges.h"

#include <algorithm>
#include <vector>

#include "interpose/threads/thread_owned.h"

namespace graphtap::nvtx {
namespace {

struct Range {
  const void* domain;
  std::uint64_t number;
  std::string text;
  std::uint64_t tag;
};
struct Stack {
  std::vector<Range> ranges;
  std::uint64_t next = 0;
};

using Own = threads::ThreadOwned<Stack>;

}  // namespace

void Push(const void* domain, std::string_view text, std::uint64_t tag) noexcept {
  try {
    Stack& stack = Own::GetOrMake();
    stack.ranges.push_back({domain, stack.next, std::string(text), tag});
    ++stack.next;
  } catch (...) {
    // The range has no name then; its pop finds nothing or an outer range of its domain.
  }
}

std::optional<Closed> Pop(const void* domain) noexcept {
  Stack* stack = Own::Get();
  if (stack == nullptr) return std::nullopt;
  auto& ranges = stack->ranges;
  const auto last = std::find_if(ranges.rbegin(), ranges.rend(),
                                 [&](const Range& range) { return range.domain == domain; });
  if (last == ranges.rend()) return std::nullopt;
  Closed closed{std::move(last->text), last->tag};
  ranges.erase(std::next(last).base());
  return closed;
}

std::uint64_t NextNumber() noexcept {
  const Stack* stack = Own::Get();
  return stack == nullptr ? 0 : stack->next;
}

bool IsOpen(std::uint64_t number) noexcept {
  const Stack* stack = Own::Get();
  return stack != nullptr &&
         std::any_of(stack->ranges.begin(), stack->ranges.end(),
                     [&](const Range& range) { return range.number == number; });
}

std::string Innermost() {
  const Stack* stack = Own::Get();
  return stack == nullptr || stack->ranges.empty() ? "" : stack->ranges.back().text;
}

std::string PathFrom(std::uint64_t number) {
  std::string path;
  const Stack* stack = Own::Get();
  if (stack == nullptr) return path;
  for (const Range& range : stack->ranges) {
    if (range.number < number) continue;
    if (!path.empty()) path += '/';
    path += range.text;
  }
  return path;
}

}  // namespace graphtap::nvtx
