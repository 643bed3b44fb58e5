#!/usr/bin/env bash
# A process leaves in the middle of an eager step while the driver answers no more: it ends in time all the same,
# and what was recorded until then is in the file, without an end.
source "$(dirname "$0")/common.bash"
needs_stand_in

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so GRAPHTAP_EAGER=1 GRAPHTAP_POINTS='nvtx:*'
job=(torch_ops --eager --leave)
points='len(r["processes"][0]["points"])'
HOSTCUDA_FAIL=cuEventRecord:11:hold plain "${job[@]}" # by the job itself there are ten
probed free 'op:*=digest' every:1 "${job[@]}"
expect_json free info "$points" 20
# The eleventh is behind a stream that is destroyed, the next behind the step's last one.
HOSTCUDA_FAIL=cuEventRecord:12:hold probed held 'op:*=digest' every:1 "${job[@]}"
expect_json held info "$points" 20
expect_json held info '[(p["ended"], p["lifetime_ns"]) for p in r["processes"]]' "[('exit', None)]"
