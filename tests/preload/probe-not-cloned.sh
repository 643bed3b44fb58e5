#!/usr/bin/env bash
# Without GRAPHTAP_INPLACE graphs that cannot be cloned are recorded, with the reason for which
# nothing is observed, and stay as they are.
source "$(dirname "$0")/common.bash"

with_cuda "$build/jobs/mirror" --list-in-place >cases
while read -r name _; do
  job=(mirror --case "$name")
  plain "${job[@]}"
  probed "run-$name" all=hash every:1 "${job[@]}"
  reason=conditional_nodes
  [[ $name == allocating* || $name == mixed ]] && reason=allocation_nodes
  expect_json "run-$name" info 'sorted({s["skip"] for s in r["processes"][0]["probes"]["shadows"]})' "['$reason']"
  expect_counts "run-$name" 'c["sampled"], c["lost_replays"], c["losses"]' "(0, 0, {})"
done <cases
