// Safetensors: the header of a .safetensors file: eight bytes of length, then JSON of tensors.
// Pure functions over bytes, any thread; memory stays below 16 times the head.
// Failure: nullopt, and *error says what is wrong, without the file's name. No exception leaves.
// Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "proto/arrays/array.h"

namespace graphtap::arrays {

// A header that is longer is refused: it would name some 100,000 tensors.
inline constexpr std::uint64_t kMostSafetensorsHead = 8 + (16u << 20);

// How much of the file ParseSafetensors needs. `begin`: its first eight bytes, or all of it.
std::optional<std::uint64_t> SafetensorsHead(std::span<const std::byte> begin,
                                             std::uint64_t file_bytes, std::string* error) noexcept;

// The tensors in the order of their names. `head`: as many bytes as SafetensorsHead said.
std::optional<std::vector<Array>> ParseSafetensors(std::span<const std::byte> head,
                                                   std::uint64_t file_bytes,
                                                   std::string* error) noexcept;

}  // namespace graphtap::arrays
