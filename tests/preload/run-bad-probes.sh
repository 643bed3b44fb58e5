#!/usr/bin/env bash
# A wrong specification is shown with a caret under the place: by `graphtap run` before anything is
# started, by the library in a job that goes on unrecorded.
source "$(dirname "$0")/common.bash"

# refuse EXPECTED OPTIONS…: all of stderr, and nothing started.
refuse() {
  expect_status 125 "$graphtap" run -o folder "${@:2}" -- touch started
  expect_equal "$(<err)" "graphtap run: $1" "stderr for '${*:2}'"
  rm out err
  expect_equal "$(ls -A)" "" "files left"
}

refuse "GRAPHTAP_PROBE: unknown action 'dgest': expected one of none, digest, hash, copy, copy:BYTES, print, print:EVERY, check, check:PATH
  kernel:f=dgest
           ^" -p kernel:f=dgest
refuse "GRAPHTAP_PROBE: 'changed' is not in this version yet: expected one of always
  all when changed
           ^" --probe 'all when changed'
refuse "GRAPHTAP_REPLAYS: the range '5-3' is empty: expected the smaller number first
  1,5-3
    ^" -p all --replays 1,5-3
refuse "GRAPHTAP_WAIT_MS='60001': allowed is 0 to 60000" --wait-ms 60001
refuse "GRAPHTAP_DEVICE_MB='0': allowed is 1 to 1048576" --device-mb 0
expect_status 125 "$graphtap" run -o folder -p all -p all -- touch started
grep -q -- --probe err || fail "twice -p: $(<err)"

# What is right reaches the job as it was written.
rules='kernel:"f(int, float*)".arg1=copy:4K+hash; scope:[ab]*,node:memcpy.dst=none'
expect_status 0 "$graphtap" run -o run -p "$rules" --replays '1-3, every:2' --log quiet -- \
  printenv GRAPHTAP_PROBE GRAPHTAP_REPLAYS
expect_equal "$(<out)" "$rules"$'\n''1-3, every:2' "what the job sees"

# Set by hand: the job goes on, unrecorded.
export HOSTCUDA_TWINS=$build/hostcuda/train_loop_twins.so
job=("$build/jobs/train_loop" --replays 3)
with_cuda "${job[@]}" >plain
with_cuda expect_status 0 env LD_PRELOAD="$build/lib/libgraphtap.so" GRAPHTAP_OUT=run1 \
  GRAPHTAP_PROBE=all=copy:0 "${job[@]}"
cmp out plain || fail "another output"
expect_equal "$(<err)" "graphtap: not recording: GRAPHTAP_PROBE: expected a number from 1 on, with K, M or G (1024), not '0'
  all=copy:0
           ^" "what the library says"
[[ ! -e run1 ]] || fail "a run folder was made"
