#!/usr/bin/env bash
# A process that ends right behind its last launch: the values of all replays are in the run.
source "$(dirname "$0")/common.bash"

for way in return exit; do
  for replays in 1 50; do
    job=(endings "$way" --replays "$replays" --truth truth)
    plain "${job[@]}"
    probed "run-$way-$replays" 'all=hash+copy:16' every:1 "${job[@]}"
    expect_values "run-$way-$replays" truth --least "$replays" --may-lose
    expect_json "run-$way-$replays" info 'r["processes"][0]["ended"], r["processes"][0]["exit_code"]' \
      "('exit', 0)"
  done
done
