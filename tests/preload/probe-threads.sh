#!/usr/bin/env bash
# Threads that make, change and launch at the same time, some of them the same executables: the sums
# are right, and each due replay is observed or counted.
source "$(dirname "$0")/common.bash"

job=(many_threads --threads 64 --rounds 6)
plain "${job[@]}"
for round in 1 2 3; do
  run=run-$round
  probed "$run" 'all=hash+copy:16' every:1 "${job[@]}"
  expect_counts "$run" 'c["launches"] == c["sampled"] + c["lost_replays"]' True
  expect_counts "$run" 'c["observations"] == 3 * c["sampled"], c["sampled"] > 0' "(True, True)"
  expect_counts "$run" 'sorted(set(c["losses"]) - {"launch_overlap", "stream_changed", "mirror_stale", "no_slot"})' "[]"
  expect_counts "$run" 'sum(c["losses"].values()) == c["lost_replays"]' True
done
