#!/usr/bin/env bash
# Graphs that come and go: each has its shadow, all values are counted, and nothing piles up.
source "$(dirname "$0")/common.bash"

# used RUN GRAPHS ALIVE: resident memory of the job under probes, in KiB, and what is left on the device.
used() {
  HOSTCUDA_TWINS=$(twins_of many_graphs) with_cuda expect_status 0 "$graphtap" run -o "$1" \
    --log quiet -p 'all=hash' --replays every:1 -- "$build/jobs/many_graphs" --graphs "$2" --alive "$3"
  python3 -c "import json; j = json.load(open('out')); print(j['peak_rss_kib'], j['device_bytes_end'])"
}

for alive in 1 100; do
  read -r small_rss small_device < <(used "small-$alive" 500 "$alive")
  read -r large_rss large_device < <(used "large-$alive" 4000 "$alive")
  expect_equal "$large_device" "$small_device" "device memory that is left, $alive alive"
  ((large_rss < small_rss + 32 * 1024)) ||
    fail "$alive alive: $small_rss KiB for 500 graphs, $large_rss for 4000"
  # Three operands in each graph.
  expect_counts "large-$alive" 'c["launches"], c["sampled"] + c["lost_replays"]' "(8000, 8000)"
  expect_counts "large-$alive" 'c["observations"] == 3 * c["sampled"], c["sampled"] > 7000' \
    "(True, True)"
done
