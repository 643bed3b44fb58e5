#!/usr/bin/env bash
# A process that never uses CUDA leaves nothing on disk and starts no thread.
source "$(dirname "$0")/common.bash"

library=$build/lib/libgraphtap.so
expect_status 0 env GRAPHTAP_OUT="$PWD/run1" LD_PRELOAD="$library" "$build/jobs/plain"
expect_equal "$(cat err)" "" "standard error"
[[ ! -e run1 ]] || fail "a run folder was made"
threads=$(GRAPHTAP_OUT=$PWD/run1 LD_PRELOAD=$library python3 -c \
  'print(len(__import__("os").listdir("/proc/self/task")))')
expect_equal "$threads" 1 "threads"
