#!/usr/bin/env bash
# Whatever a job does to an executable, each sampled replay shows its values: every case of the
# mirror job on one stream and on three, with the host ahead.
source "$(dirname "$0")/common.bash"

on_hostcuda "$build/jobs/mirror" --list >cases
(($(wc -l <cases) >= 30)) || fail "only $(wc -l <cases) cases"
while read -r name updates; do
  for streams in 1 3; do
    job=(mirror --case "$name" --streams "$streams" --truth truth)
    run=run-$name-$streams
    plain "${job[@]}"
    probed "$run" 'all=hash+copy:16' every:1 "${job[@]}"
    least=$(grep -c words truth) may_lose=()
    if ((streams > 1)); then # the first replay of a stream
      may_lose+=(stream_changed) least=$((least * 4 / 5))
    fi
    if [[ -n $updates ]]; then # those that follow too many updates
      may_lose+=(mirror_stale) least=1
    fi
    expect_values "$run" truth --least "$least" --may-lose "${may_lose[@]}"
    rm -r "$run"
  done
done <cases
