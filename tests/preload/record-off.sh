#!/usr/bin/env bash
# What keeps graphtap from recording is one line; the job goes on with the same output.
source "$(dirname "$0")/common.bash"

export HOSTCUDA_TWINS=$build/hostcuda/train_loop_twins.so
job=("$build/jobs/train_loop" --replays 3)
with_cuda "${job[@]}" >plain

# off TEXT VARIABLE=VALUE…: one line that has the text.
off() {
  local text=$1
  shift
  with_cuda expect_status 0 env "$@" LD_PRELOAD="$build/lib/libgraphtap.so" "${job[@]}"
  cmp out plain || fail "another output with $*"
  expect_equal "$(wc -l <err)" 1 "lines with $*"
  grep -qF -- "$text" err || fail "no '$text' in: $(<err)"
}

off "GRAPHTAP_ZSTD='fast': allowed is auto, 0" GRAPHTAP_OUT=run1 GRAPHTAP_ZSTD=fast
[[ ! -e run1 ]] || fail "a run folder was made"
off "cannot create the run file" GRAPHTAP_OUT=/dev/null/run1
off "cannot create the run file" GRAPHTAP_OUT=/dev/full
touch file
off "cannot create the run file" GRAPHTAP_OUT=file
