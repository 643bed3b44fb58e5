#!/usr/bin/env bash
# A process without a free descriptor: one line, the job goes on. The real driver needs some itself.
source "$(dirname "$0")/common.bash"
needs_stand_in

with_cuda expect_status 0 env LD_PRELOAD="$build/lib/libgraphtap.so" GRAPHTAP_OUT=full \
  python3 "$root/tests/jobs/live_graph.py" no_descriptors
expect_equal "$(<out)" "[[1], [2], [3]]" "full: the output"
[[ $(<err) == "graphtap: not recording: cannot create the run file: "*"Too many open files" ]] ||
  fail "full: $(<err)"
