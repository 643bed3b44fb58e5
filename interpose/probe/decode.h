// Decode: what the probes left in a slot, as observations in the run file. Owner: the drain.
// Threads: one. Failure: false from a read: the values are not there. May throw bad_alloc.
// Units: bytes.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "interpose/probe/slots.h"
#include "interpose/record/recorder.h"
#include "interpose/values/actions.h"

namespace graphtap::probe {

// Bytes [offset, offset + bytes) of the slot, bytes <= kStagingBytes, valid until the next call.
// Empty: they could not be had.
using SlotReader =
    std::function<std::span<const std::byte>(std::uint64_t offset, std::uint64_t bytes)>;

enum class Decoded { kDone, kUnread, kOtherReplay };

// Appends the observations of one replay, and does what `actions` are asked for. Unless all were
// had, none may have been appended, and nothing is done.
Decoded Decode(const Replay& replay, const SlotReader& read, record::Recorder& recorder,
               values::Actions& actions);

}  // namespace graphtap::probe
