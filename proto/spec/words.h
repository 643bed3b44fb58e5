// Words of the specification: words.inc and unsupported.inc as look-ups.
// Constant tables, any thread. Failure: nullopt for a word that a group does not have. No units.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "proto/spec/specification.h"

namespace graphtap::spec {

enum class WordGroup : std::uint8_t { kSelector, kOperand, kAction, kTrigger, kReplays, kPoint };

// The number of the enum constant that stands in words.inc.
std::optional<std::uint8_t> FindWord(WordGroup group, std::string_view word) noexcept;

// The word of an enum constant; empty: it has none.
std::string_view WordOf(WordGroup group, std::uint8_t value) noexcept;

template <typename Kind>
std::string_view WordOf(WordGroup group, Kind kind) noexcept {
  return WordOf(group, static_cast<std::uint8_t>(kind));
}

// This release can do it; so it is for a word that does not exist.
bool IsSupported(WordGroup group, std::string_view word) noexcept;

// How the usable words of a group are written, for "expected one of …": "digest, hash, copy".
std::string Forms(WordGroup group, Words words);

}  // namespace graphtap::spec
