#!/usr/bin/env bash
# Each process that uses CUDA has a file of its own, however it came to be; one that does not leaves
# none, and takes nothing from its parent's.
source "$(dirname "$0")/common.bash"

# made WAY PROCESSES: of the program; each replays once or twice, and each replay is observed.
made() {
  local way=$1
  plain forks "$way"
  probed "$way" 'all=hash' every:1 forks "$way"
  expect_json "$way" info '[(p["ended"], [(x["replays"], x["missing_replays"]) for x in p["executables"]],
    [rule["observed"] for rule in p["probes"]["rules"]]) for p in r["processes"]]' "$2"
  expect_json "$way" info '[f["losses"] for f in r["damage"]["files"] if f["losses"]]' "[]"
}

once="('exit', [(1, 0)], [1])" twice="('exit', [(1, 0), (1, 0)], [2])"
made before "[$once]"
made after "[$twice]"
made exec "[$twice, $once]"
made vfork "[$twice, $once]"
made spawn "[$twice, $once]"
made daemon "[$once]"
