#!/usr/bin/env bash
# Whatever a job does to an executable, each sampled replay shows its values: every case of the
# mirror job on one stream and on three, every replay and some, with the host ahead.
source "$(dirname "$0")/common.bash"

on_hostcuda "$build/jobs/mirror" --list >cases
(($(wc -l <cases) >= 30)) || fail "only $(wc -l <cases) cases"
while read -r name loss; do
  for streams in 1 3; do
    replays=every:1
    ((streams == 1)) || replays=2-9,every:4
    job=(mirror --case "$name" --streams "$streams" --truth truth)
    run=run-$name-$streams
    plain "${job[@]}"
    probed "$run" 'all=hash+copy:16' "$replays" "${job[@]}"
    may_lose=($loss)
    ((streams == 1)) || may_lose+=(stream_changed) # the first that follows an unobserved one
    least=$(grep -c words truth)
    ((streams == 1)) || least=$((least / 4))
    [[ $loss != mirror_stale ]] || least=10
    expect_values "$run" truth --least "$least" --may-lose "${may_lose[@]}"
    rm -r "$run"
  done
done <cases
