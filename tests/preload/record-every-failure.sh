#!/usr/bin/env bash
# Whatever driver call of graphtap's own fails, the job ends as it does without graphtap. Calls that
# the job makes itself are left alone: their failure would be the job's.
source "$(dirname "$0")/common.bash"
needs_stand_in

export HOSTCUDA_TWINS=$build/hostcuda/train_loop_twins.so
job=("$build/jobs/train_loop" --replays 5 --update 2)
with_cuda "${job[@]}" >plain
calls=$(sed -n 's/^GT_\(PROBE_\)\{0,1\}CALL([a-z_0-9]*, \(cu[A-Za-z0-9]*\),.*/\2/p' \
  "$(dirname "$0")/../../interpose/driver/calls.inc" | sort -u)
tried=0
for call in $calls; do
  export HOSTCUDA_FAIL="$call:*:999"
  with_cuda "${job[@]}" >out 2>&1 && cmp -s out plain || continue # the job itself needs it
  tried=$((tried + 1))
  with_cuda expect_status 0 "$graphtap" run -o "run-$call" --log quiet -- "${job[@]}"
  cmp out plain || fail "another output when $call fails"
  "$graphtap" info "run-$call" >report 2>damage || fail "no report when $call fails: $(<damage)"
done
((tried >= 10)) || fail "only $tried calls could be tried"
