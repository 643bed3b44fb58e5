#!/usr/bin/env bash
# A captured training step: its capture, graph, scopes and each of its replays are in the run; the
# job's output is what it is without graphtap.
source "$(dirname "$0")/common.bash"

HOSTCUDA_TWINS=$build/hostcuda/train_loop_twins.so with_cuda "$build/jobs/train_loop" \
  --replays 100 >plain
record run1 train_loop --replays 100
expect_equal "$(<out)" "$(<plain)" "the job's output"

expect_json run1 info 'len(r["processes"])' 1
p='r["processes"][0]'
expect_json run1 info "$p['ended'], $p['exit_code']" "('exit', 0)"
expect_json run1 info "[(c['key'], c['outcome'], c['graph']) for c in $p['captures']]" \
  "[('train_step#0', 'graph', 'g0')]"
expect_json run1 info "[(x['key'], x['graph'], x['replays'], x['missing_replays']) for x in $p['executables']]" \
  "[('train_step#0', 'g0.v0', 100, 0)]"
expect_json run1 info "$p['graphs'][0]['missing_nodes']" 0
expect_json run1 info '[f["losses"] for f in r["damage"]["files"]]' '[[]]'
"$graphtap" dump run1 --stable >stable
for scope in forward backward optimizer; do
  grep -q "scope: \"$scope\"" stable || fail "no node in the scope $scope"
done
