// What the targets of array files share: an input is the head of a file of any size, by itself and
// behind what makes it right. Owner: nobody. Threads: one. Failure: that of `check`. Units: bytes.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/fuzz/feed.h"
#include "tests/fuzz/target.h"

namespace graphtap::fuzz {

// check(head, size of the file); framed(text): the text as the head of a file.
template <typename Check, typename Framed>
void CheckHeads(const std::uint8_t* data, std::size_t size, Check check, Framed framed) {
  Feed feed(Input(data, size));
  const std::uint64_t more = feed.Number(feed.Byte() % 9);
  const auto rest = feed.Rest();
  const std::string head = framed(rest);
  check(rest, std::max<std::uint64_t>(rest.size(), more));
  check(head, std::max<std::uint64_t>(head.size(), more));
}

}  // namespace graphtap::fuzz
