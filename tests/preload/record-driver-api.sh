#!/usr/bin/env bash
# A program that is linked to libcuda.so.1 is seen like one that looks its calls up.
source "$(dirname "$0")/common.bash"

record run1 driver_api
expect_equal "$(<out)" "driver_api ok 121000" "the job's output"
p='r["processes"][0]'
expect_json run1 info "[(x['call'], x['replays']) for x in $p['executables']]" \
  "[('cuGraphInstantiateWithFlags', 2)]"
"$graphtap" dump run1 --stable >stable
grep -q 'by_extra: true' stable || fail "no kernel with its arguments in one buffer"
grep -q 'cuGraphExecKernelNodeSetParams_v2' stable || fail "no change of the executable"
