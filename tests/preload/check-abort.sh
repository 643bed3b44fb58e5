#!/usr/bin/env bash
# GRAPHTAP_CHECK_ABORT=1: the first check that fails ends the job by SIGABRT, with a line that says
# so, and what was recorded is on disk.
source "$(dirname "$0")/../parity/parity.bash"

"$arrays" two.npy float32 4 2 2 2 2
plain parity --inputs 1,2,3 add:1
export GRAPHTAP_CHECK_ABORT=1
watched passes 'all.arg1=check:two.npy' 1 --inputs 1,2,3 add:1
expect_checks passes 1 0 0
HOSTCUDA_TWINS=$(twins_of parity) with_cuda expect_status 134 "$graphtap" run -o run \
  -p 'all.arg1=check:two.npy+copy' --replays every:1 -- "$build/jobs/parity" --inputs 1,2,3 add:1
grep -qF "x0@2 graph#0/add.arg1[0]: element 0 is 3.0, expected 2.0; 4 of 4 elements differ" err ||
  fail "no word of the failure: $(<err)"
grep -qF "graphtap: ending the job because a check failed:" err || fail "not said: $(<err)"
expect_failure run 'f["replay"], f["observed"]' "(2, 3.0)"
"$graphtap" info run >report 2>losses
grep -q 'signal 6' report || fail "no word of the signal: $(<report)"
shown run '*.arg1' '[x["values"][0] for x in o][:2]' "[2.0, 3.0]"
# Started by hand, too.
HOSTCUDA_TWINS=$(twins_of parity) with_cuda expect_status 134 env GRAPHTAP_OUT=by-hand \
  GRAPHTAP_PROBE='all.arg1=check:two.npy' GRAPHTAP_REPLAYS=2 LD_PRELOAD="$build/lib/libgraphtap.so" \
  "$build/jobs/parity" --inputs 1,2,3 add:1
expect_checks by-hand 0 1 0
