#!/usr/bin/env bash
# A run folder that goes away: one line, the job goes on. A folder that is renamed keeps its run.
source "$(dirname "$0")/common.bash"

export HOSTCUDA_TWINS
HOSTCUDA_TWINS=$(twins_of train_loop)
# start RUN: a job that goes on, its lines in the fifo `lines`; waits until its run has replays.
start() {
  rm -f lines && mkfifo lines
  LD_LIBRARY_PATH=$cuda LD_PRELOAD=$build/lib/libgraphtap.so GRAPHTAP_OUT=$1 \
    "$build/jobs/train_loop" --replays 100000000 >/dev/null 2>lines &
  job=$!
  trap 'kill -9 $job || true; rm -rf "$work"' EXIT
  exec 3<lines
  "$graphtap" watch "$1" --interval 0.05 --json 2>/dev/null | grep -qm1 '"replays":[1-9]' || true
}
finish() {
  status=0
  kill -TERM $job
  wait $job || status=$?
  expect_equal "$status" 143 "$1: the status"
}

start gone
rm -r gone
read -r line <&3
[[ $line == "graphtap: recording stopped, the job goes on: "*"No such file or directory" ]] || fail "$line"
finish gone
expect_equal "$(cat <&3)" "" "gone: more lines"
[[ ! -e gone ]] || fail "the folder is there again"

start here
mv here there
grep -qm1 '"replays":[1-9]' < <("$graphtap" watch there --interval 0.05 --json) || fail "no more in there"
finish there
expect_equal "$(cat <&3)" "" "there: lines"
expect_json there info 'len(r["processes"]), r["processes"][0]["executables"][0]["missing_replays"]' "(1, 0)"
