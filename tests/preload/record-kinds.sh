#!/usr/bin/env bash
# Every kind of node and graph is recorded, and probed with each replay sampled: the job's output is
# what it is without graphtap, and there is nothing that could not be recorded or observed.
source "$(dirname "$0")/common.bash"
needs_stand_in

export HOSTCUDA_DEVICES=2
p='r["processes"][0]'
with_cuda "$build/jobs/graph_kinds" 2>kinds && fail "no kind was asked for"
for kind in $(sed 's/.* all //' kinds); do
  plain graph_kinds "$kind"
  record "recorded-$kind" graph_kinds "$kind"
  cmp -s out plain || fail "$kind: another output when recorded"
  probed "$kind" all=digest every:1 graph_kinds "$kind"
  expect_counts "$kind" 'c["sampled"] > 0, c["lost_replays"], c["losses"]' "(True, 0, {})"
done
expect_counts nested_children 'c["observations"], c["refusals"]' "(7, {})"
"$graphtap" graphs recorded-nested_children --nodes >nodes
grep -qE '^ *1/1/1/0 ' nodes || fail "no node path inside three child graphs: $(<nodes)"
expect_json recorded-changed_graph info "[(g['key'], g['nodes']) for g in $p['graphs']]" \
  "[('graph#0', 3), ('graph#0', 4)]"
for kind in copy_2d copy_3d copy_host copy_peer; do
  expect_json "recorded-$kind" info "$p['graphs'][0]['kinds']['memcpy'] > 0" True
done
