// Host: who has opened the adapter, in the newest form: a function that it does not have is
// nullptr. Owner: the process; copies are never freed. Threads: any, after SetHost(). Failure:
// false where memory is short.
#pragma once

#include "interpose/abi/adapter.h"

namespace graphtap::torch {

bool SetHost(const GraphtapHost& host) noexcept;

const GraphtapHost& Host() noexcept;

}  // namespace graphtap::torch
