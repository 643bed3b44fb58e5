#!/usr/bin/env bash
# Every kind of node and executable: the job's output is what it is without graphtap, and each graph is
# observed, but for those that kernels may launch or change, which are left alone for that reason.
source "$(dirname "$0")/common.bash"

shadows='[s["skip"] for s in r["processes"][0]["probes"]["shadows"]]'
with_cuda "$build/jobs/node_kinds" 2>kinds && fail "no kind was asked for"
for kind in $(sed 's/.* all //' kinds); do
  plain node_kinds "$kind"
  probed "$kind" all=digest every:1 node_kinds "$kind"
  expect_counts "$kind" 'c["lost_replays"], c["losses"]' "(0, {})"
  case $kind in
    device_*)
      expect_json "$kind" info "$shadows" "['$kind']"
      expect_counts "$kind" 'c["sampled"]' 0
      ;;
    *)
      expect_counts "$kind" 'c["sampled"] > 0, c["observations"] > 0, c["refusals"]' "(True, True, {})"
      ;;
  esac
done
expect_counts programmatic 'c["observations"]' 3
expect_counts events 'c["observations"]' 3
expect_json events info '[g["kinds"] for g in r["processes"][0]["graphs"]]' \
  "[{'kernel': 1, 'record': 1}, {'memcpy': 1, 'wait': 1}]"
expect_json batch info 'r["processes"][0]["graphs"][0]["kinds"]' "{'kernel': 1, 'batch_memop': 256}"
