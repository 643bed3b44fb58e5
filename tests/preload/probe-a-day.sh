#!/usr/bin/env bash
# A small day: graphs are replayed many times, captured again, updated to what was captured, and
# instantiated anew. After the first tenth neither the process nor the device takes more memory.
source "$(dirname "$0")/common.bash"

HOSTCUDA_TWINS=$(twins_of many_graphs) with_cuda expect_status 0 "$graphtap" run -o run --log quiet \
  -p 'all=digest+copy:16' --replays 1,2,every:100 -- \
  "$build/jobs/many_graphs" --graphs 200 --updates 1 --replays 100
read -r kib bytes < <(python3 -c "
import json
taken = json.load(open('out'))['taken']
print(taken[-1][0] - taken[0][0], taken[-1][1] - taken[0][1])")
((kib < 8 * 1024)) || fail "the process took $kib KiB more: $(<out)"
expect_equal "$bytes" 0 "device memory beyond that of the first tenth"
# Two graphs' worth of replays in each executable: 1, 2, 100, 200.
expect_counts run 'c["launches"], c["sampled"] + c["lost_replays"]' "(40000, 800)"
expect_counts run 'c["observations"] == 3 * c["sampled"], c["sampled"] > 700' "(True, True)"
