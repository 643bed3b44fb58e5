#!/usr/bin/env bash
# SIGUSR2 asks for a point, but only where the job would have ended by it: a handler of the job takes its
# place, children end by it as without graphtap, and so does the job when it is not asked for.
source "$(dirname "$0")/common.bash"

labels='[p["label"] for p in r["processes"][0]["points"]]'
job=$build/jobs/moments
with_cuda expect_status 0 "$graphtap" run -o run -- "$job" signal oom signal
expect_equal "$(<out)" "handled 0" "the job handles none"
expect_json run info "sorted($labels)" "['exit', 'oom:0', 'signal:0', 'signal:1']"
expect_json run info "[len(p['devices']) for p in r['processes'][0]['points'] if p['kind'] == 'signal']" "[1, 1]"
expect_json run info "$labels[-1]" exit

with_cuda expect_status 0 "$graphtap" run -o own -- "$job" signal handler signal signal
expect_equal "$(<out)" "handled 2" "the job's own handler"
expect_json own info "$labels" "['signal:0', 'exit']"

# A child is not recorded: the signal ends it.
with_cuda expect_status 0 "$graphtap" run -o fork -- "$job" fork_signal signal
expect_equal "$(<out)" "$(printf 'child: signal 12\nhandled 0')" "a child of fork"
expect_json fork info "$labels" "['signal:0', 'exit']"
with_cuda expect_status 0 "$graphtap" run -o fork_own -- "$job" handler fork_signal
expect_equal "$(<out)" "$(printf 'child: exit 0\nhandled 0')" "a child that has the job's handler"

# Not asked for, or ignored by whoever started the job: left alone.
with_cuda expect_status $((128 + 12)) "$graphtap" run -o without --points 'exit' -- "$job" signal
(
  trap '' USR2
  with_cuda expect_status 0 "$graphtap" run -o ignored -- "$job" signal
)
expect_json ignored info "$labels" "['exit']"
