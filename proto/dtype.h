// Dtype: the element type of a tensor, from dtype.inc: a number for files, a name for people.
// Pure functions over a constant table, any thread. Failure: what is not in the table is kUnknown,
// or nullopt where the caller must tell a user. Units: bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace graphtap {

enum class Dtype : std::uint8_t {
#define GT_DTYPE(number, constant, name, bytes, aliases) constant = number,
#include "proto/dtype.inc"
#undef GT_DTYPE
};

// "bfloat16", as PyTorch and numpy call it; "unknown" also for a number that is not in the table.
std::string_view DtypeName(Dtype dtype) noexcept;

// Of one element; 0: unknown.
std::size_t DtypeBytes(Dtype dtype) noexcept;

// Signed or not; bool is none of them.
constexpr bool IsInteger(Dtype dtype) noexcept {
  return dtype >= Dtype::kInt8 && dtype < Dtype::kBool;
}
constexpr bool IsComplex(Dtype dtype) noexcept {
  return dtype == Dtype::kComplex64 || dtype == Dtype::kComplex128;
}

// By name or by another name ("bf16"); nullopt: there is none such, as for "unknown".
std::optional<Dtype> FindDtype(std::string_view name) noexcept;

// Of a number in a file; kUnknown if a later release wrote it.
Dtype DtypeOf(std::uint32_t number) noexcept;

}  // namespace graphtap
