#!/usr/bin/env bash
# A process that ends while a kernel never does: it ends as it does without graphtap, all earlier
# values are there, and the replay that never ended is counted.
source "$(dirname "$0")/common.bash"

for way in endless endless_exit; do
  job=(endings "$way" --replays 20 --truth truth)
  plain "${job[@]}"
  start=$SECONDS
  probed "run-$way" 'all=hash+copy:16' every:1 "${job[@]}"
  ((SECONDS - start < 10)) || fail "$way: the process took $((SECONDS - start)) s to end"
  expect_values "run-$way" truth --least 19 --may-lose undrained
  expect_counts "run-$way" 'c["sampled"], c["lost_replays"], c["losses"]' "(19, 1, {'undrained': 1})"
  "$graphtap" info "run-$way" >report 2>losses
  grep -q undrained losses || fail "$way: the loss is not printed: $(<losses)"
done
