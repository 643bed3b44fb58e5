// Npy: the header of a .npy file, versions 1 to 3 of numpy's format.
// Pure function over bytes, any thread; takes memory for at most kMostAxes numbers and a message.
// Failure: nullopt, and *error says what is wrong, without the file's name. No exception leaves.
// Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "proto/arrays/array.h"

namespace graphtap::arrays {

// No more of a file is needed for its header; a header that is longer is refused.
inline constexpr std::size_t kMostNpyHead = 12 + (64u << 10);

// `head`: the first kMostNpyHead bytes of a file of `file_bytes`, or all of it.
std::optional<Array> ParseNpy(std::span<const std::byte> head, std::uint64_t file_bytes,
                              std::string* error) noexcept;

}  // namespace graphtap::arrays
