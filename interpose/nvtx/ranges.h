// NVTX ranges: the push/pop ranges that are open on a thread, with the texts that the job gave.
// They name captures and the scopes inside them. Owner: each thread has its own stack, on the heap
// and reached by one thread-local pointer, freed at the thread's end. Threads: only the own thread
// reads it. Failure: out of memory loses a name. No units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace graphtap::nvtx {

// `domain` is NVTX's handle; ranges of different domains interleave freely. `tag` is whatever the
// caller wants to know of the range at its end.
void Push(const void* domain, std::string_view text, std::uint64_t tag = 0) noexcept;

struct Closed {
  std::string text;
  std::uint64_t tag = 0;
};
// nullopt: no range of this domain is open.
std::optional<Closed> Pop(const void* domain) noexcept;

// The number that the next range on this thread gets.
std::uint64_t NextNumber() noexcept;

// Whether the range of that number is open on this thread.
bool IsOpen(std::uint64_t number) noexcept;

// The innermost open range, "" if there is none.
std::string Innermost();

// The open ranges of that number or a higher one, "forward/layer0"; "" if there are none.
std::string PathFrom(std::uint64_t number);

}  // namespace graphtap::nvtx
