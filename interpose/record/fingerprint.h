// Fingerprint: one number for the content of a graph, to tell whether it changed. Pure function,
// any thread. Failure: std::bad_alloc. Two contents that differ have the same number by a chance of
// 2^-64.
#pragma once

#include <cstdint>
#include <span>

#include "interpose/record/op_records.h"
#include "interpose/record/records.h"

namespace graphtap::record {

std::uint64_t Fingerprint(std::span<const Node> nodes, std::span<const Op> ops);

}  // namespace graphtap::record
