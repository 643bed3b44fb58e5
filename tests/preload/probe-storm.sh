#!/usr/bin/env bash
# Threads that at once allocate, capture in all modes, instantiate, launch, change, update, destroy:
# the job's sums are right with each operand of each replay observed, with room for few and for many
# of them, and each due replay is observed or counted. STORM_SECONDS: how long each time, 2 by default.
seconds=${STORM_SECONDS:-2}
source "$(dirname "$0")/common.bash"

unbroken=()
on_stand_in || unbroken=(--unbroken 1)
job=(storm --threads 64 --seconds "$seconds" "${unbroken[@]}")
plain storm --threads 8 --seconds 1 "${unbroken[@]}" 2>plain.err
cat plain.err
for budget in 1 256; do
  run=run-$budget
  GRAPHTAP_DEVICE_MB=$budget probed "$run" 'all=digest' every:1 "${job[@]}"
  cat err
  expect_counts "$run" 'c["launches"] == c["sampled"] + c["lost_replays"]' True
  expect_counts "$run" 'c["sampled"] > 0, c["observations"] >= c["sampled"]' "(True, True)"
  expect_counts "$run" 'sum(c["losses"].values()) == c["lost_replays"]' True
done
