// Run description: what the first record of a file says about this process and its machine.
// Called once a session, after the job's cuInit succeeded. Threads: any. Failure: what cannot be
// read (no /proc, a driver call that fails) is left out. Units: bytes, nanoseconds.
#pragma once

#include "interpose/driver/driver.h"
#include "interpose/record/run_record.h"
#include "proto/lists/environment.h"

namespace graphtap::session {

// Allocates; may throw std::bad_alloc.
record::Run DescribeRun(const Settings& settings, const driver::Calls& calls);

}  // namespace graphtap::session
