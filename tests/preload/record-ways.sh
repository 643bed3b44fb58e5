#!/usr/bin/env bash
# Every way to make a graph and to change an executable is in the run.
source "$(dirname "$0")/common.bash"

ways() { # WAY: records it
  record "$1" many_ways "$1"
}
p='r["processes"][0]'

ways fork_join
expect_json fork_join info "[len(c['joined_streams']) for c in $p['captures']]" "[1]"
ways child_graph
"$graphtap" graphs child_graph --nodes >nodes
grep -qE '^ *[0-9]+/0 ' nodes || fail "no node path inside the child graph: $(<nodes)"
ways by_hand
expect_json by_hand info "$p['captures'], [g['key'] for g in $p['graphs']]" "([], ['graph#0'])"
expect_json by_hand info "sorted($p['graphs'][0]['kinds'])" "['empty', 'host', 'kernel', 'memcpy']"
ways exec_update
"$graphtap" dump exec_update --stable >stable
grep -q 'cuGraphExecUpdate' stable || fail "no update"
ways two_executables
expect_json two_executables info "[x['key'] for x in $p['executables']]" "['graph#0', 'graph#0/x1']"
ways failed_capture
expect_json failed_capture info "[(c['outcome'], c['error']) for c in $p['captures']][0]" \
  "('failed', 'CUDA_ERROR_STREAM_CAPTURE_INVALIDATED')"
ways captures_in_threads
expect_json captures_in_threads info "sorted(c['mode'] for c in $p['captures'])" \
  "['relaxed', 'thread_local']"
ways capture_to_graph
expect_json capture_to_graph info "[(g['key'], g['nodes']) for g in $p['graphs']]" \
  "[('graph#0', 1), ('graph#0', 2)]"
ways programmatic_edges
expect_json programmatic_edges info "$p['graphs'][0]['programmatic_edges'] > 0" True
