#!/usr/bin/env bash
# A Python program that ends with live graphs, however it ends: its output and status are its own,
# and all observations are in the run.
source "$(dirname "$0")/common.bash"

p='r["processes"][0]'
for way in return:0 sys_exit:3 os_exit:4; do
  status=${way#*:} way=${way%:*}
  HOSTCUDA_TWINS=$(twins_of python) with_cuda expect_status "$status" "$graphtap" run -o "$way" \
    --log quiet -p 'all=hash+copy:4' --replays every:1 -- python3 "$root/tests/jobs/live_graph.py" "$way"
  expect_equal "$(<out)" "[[1], [2], [3]]" "$way: the output"
  expect_json "$way" info "$p['ended'], $p['exit_code']" "('exit', $status)"
  expect_counts "$way" 'c["launches"], c["sampled"], c["observations"], c["losses"]' "(120, 120, 120, {})"
done
