#!/usr/bin/env bash
# A file that cannot grow: one line, the job goes on, what was written can be read, the rest counts.
source "$(dirname "$0")/common.bash"

export HOSTCUDA_TWINS=$build/hostcuda/train_loop_twins.so
job=("$build/jobs/train_loop" --replays 200 --update 1)
on_hostcuda "${job[@]}" >plain
(
  ulimit -f 2 # blocks of 1024 bytes
  exec env LD_LIBRARY_PATH="$build/hostcuda" GRAPHTAP_OUT="$PWD/run1" GRAPHTAP_ZSTD=0 \
    LD_PRELOAD="$build/lib/libgraphtap.so" "${job[@]}"
) >out 2>err || fail "the job failed: $(<err)"
cmp out plain || fail "another output"
expect_equal "$(grep -c '^graphtap: recording stopped, the job goes on' err)" 1 "lines on stderr"
"$graphtap" info run1 >report 2>damage || fail "the file cannot be read: $(<damage)"
grep -q train_loop report || fail "no process in: $(<report)"
