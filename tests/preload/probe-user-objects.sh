#!/usr/bin/env bash
# What a graph of the job keeps alive ends when the job lets go of it: the shadow does not hold it.
source "$(dirname "$0")/common.bash"

plain many_ways user_objects
for replays in every:1 every:4 1 2,5; do
  probed "run-$replays" all=hash "$replays" many_ways user_objects
  expect_counts "run-$replays" 'c["sampled"] > 0, set(c["losses"]) - {"mirror_stale"}' "(True, set())"
done
