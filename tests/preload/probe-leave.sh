#!/usr/bin/env bash
# However a process leaves, by itself, in a signal handler or for another program: the values of all
# replays are in the run, and it ends as it does without graphtap.
source "$(dirname "$0")/common.bash"

# leaves WAY STATUS ENDINGS: of the processes, as the run tells.
leaves() {
  local way=$1 ending=$3
  status=$2
  job=(endings "$way" --replays 30 --truth truth)
  plain "${job[@]}" || true
  expect_equal "$plain_status" "$status" "$way without graphtap"
  probed "run-$way" 'all=hash+copy:16' every:1 "${job[@]}"
  expect_json "run-$way" info '[(p["ended"], p["exit_code"]) for p in r["processes"]]' "$ending"
  first=$(find "run-$way" -name '*.gtap' | sort | head -1) # of the program that became another one
  expect_values "$first" truth --least 30 --may-lose
}

leaves _exit 5 "[('exit', 5)]"
leaves quick_exit 6 "[('exit', 6)]"
leaves handler 7 "[('exit', 7)]"
leaves thread 0 "[('exit', 0)]"
leaves main_exit 0 "[('exit', 0)]"
leaves exec_fails 0 "[('exit', 0)]"
leaves forks 0 "[('exit', 0)]"
leaves exec 0 "[('exec', None), ('exit', 0)]"
expect_json run-exec info '[x["replays"] for p in r["processes"] for x in p["executables"]]' "[30, 30]"
