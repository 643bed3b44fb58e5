#include "interpose/nvtx/ranges.h"

#include <pthread.h>

#include <algorithm>
#include <vector>

namespace graphtap::nvtx {
namespace {

struct Range {
  const void* domain;
  std::uint64_t number;
  std::string text;
};
struct Stack {
  std::vector<Range> ranges;
  std::uint64_t next = 0;
};

// A plain pointer: a thread-local object with a destructor would be gone while the thread's last
// ranges still close.
thread_local Stack* t_stack = nullptr;

struct Key {
  pthread_key_t key = 0;
  bool made = false;
};

Key MakeKey() {
  Key key;
  key.made = pthread_key_create(&key.key, [](void* stack) {
               t_stack = nullptr;
               delete static_cast<Stack*>(stack);
             }) == 0;
  return key;
}

// Without a key (the process has used up all) the stack outlives its thread.
Stack& Own() {
  static const Key kKey = MakeKey();
  if (t_stack == nullptr) {
    t_stack = new Stack;
    if (kKey.made) pthread_setspecific(kKey.key, t_stack);
  }
  return *t_stack;
}

}  // namespace

void Push(const void* domain, std::string_view text) noexcept {
  try {
    Stack& stack = Own();
    stack.ranges.push_back({domain, stack.next, std::string(text)});
    ++stack.next;
  } catch (...) {
    // The range has no name then; its pop finds nothing or an outer range of its domain.
  }
}

void Pop(const void* domain) noexcept {
  if (t_stack == nullptr) return;
  auto& ranges = t_stack->ranges;
  const auto last = std::find_if(ranges.rbegin(), ranges.rend(),
                                 [&](const Range& range) { return range.domain == domain; });
  if (last != ranges.rend()) ranges.erase(std::next(last).base());
}

std::uint64_t NextNumber() noexcept { return t_stack == nullptr ? 0 : t_stack->next; }

std::string Innermost() {
  return t_stack == nullptr || t_stack->ranges.empty() ? "" : t_stack->ranges.back().text;
}

std::string PathFrom(std::uint64_t number) {
  std::string path;
  if (t_stack == nullptr) return path;
  for (const Range& range : t_stack->ranges) {
    if (range.number < number) continue;
    if (!path.empty()) path += '/';
    path += range.text;
  }
  return path;
}

}  // namespace graphtap::nvtx
