#!/usr/bin/env bash
# GRAPHTAP_INPLACE=1: graphs that cannot be cloned are probed as they are: each sampled replay shows
# its values, on one stream and on three, every replay and some.
source "$(dirname "$0")/common.bash"

on_hostcuda "$build/jobs/mirror" --list-in-place >cases
(($(wc -l <cases) >= 11)) || fail "only $(wc -l <cases) cases"
while read -r name loss; do
  for streams in 1 3; do
    replays=every:1
    ((streams == 1)) || replays=2-9,every:4
    job=(mirror --case "$name" --streams "$streams" --truth truth)
    run=run-$name-$streams
    plain "${job[@]}"
    GRAPHTAP_INPLACE=1 probed "$run" 'all=hash+copy:16' "$replays" "${job[@]}"
    may_lose=($loss)
    ((streams == 1)) || may_lose+=(stream_changed) # the first that follows an unobserved one
    least=$(grep -c words truth)
    ((streams == 1)) || least=$((least / 4))
    expect_values "$run" truth --least "$least" --may-lose "${may_lose[@]}"
    expect_json "$run" info \
      'all(s["in_place"] and not s["skip"] for s in r["processes"][0]["probes"]["shadows"])' True
    rm -r "$run"
  done
done <cases
