#!/usr/bin/env bash
# A process that never uses CUDA leaves nothing on disk and starts no thread; the driver that it is linked with
# is made ready once, and not again when the process has ended.
source "$(dirname "$0")/common.bash"

library=$build/lib/libgraphtap.so
expect_status 0 env GRAPHTAP_OUT="$PWD/run1" LD_PRELOAD="$library" "$build/jobs/plain"
expect_equal "$(cat err)" "" "standard error"
[[ ! -e run1 ]] || fail "a run folder was made"
threads=$(GRAPHTAP_OUT=$PWD/run1 LD_PRELOAD=$library python3 -c \
  'print(len(__import__("os").listdir("/proc/self/task")))')
expect_equal "$threads" 1 "threads"

export LD_DEBUG=libs LD_DEBUG_OUTPUT=$PWD/loader
with_cuda expect_status 2 env GRAPHTAP_OUT="$PWD/run1" LD_PRELOAD="$library" "$build/jobs/forks"
unset LD_DEBUG
expect_equal "$(cat loader.* | grep -c 'calling init: .*/libcuda\.so\.1')" 1 "times that the driver is made ready"
