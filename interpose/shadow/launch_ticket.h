// Launch ticket: what one launch of a probed executable carries from before the driver's call to
// after it. Plain, so that nothing is destroyed if the call does not return.
// Owner: the hook's frame. Threads: one. Failure: none.
#pragma once

#include "interpose/probe/slots.h"
#include "proto/lists/losses.h"

namespace graphtap::shadow {

class Probed;

struct LaunchTicket {
  Probed* probed = nullptr;       // the executable's, if it has probes
  CUgraphExec instead = nullptr;  // to be launched in the executable's place
  probe::Slot* slot = nullptr;    // that this launch writes into
  record::StreamId stream{};
  std::uint64_t serial = 0;          // in the launch order
  std::uint64_t number = 0;          // of the replay that it will be, if it is probed
  Loss lost = Loss::launch_overlap;  // why a due launch is not probed
};

}  // namespace graphtap::shadow
