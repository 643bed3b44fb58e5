#!/usr/bin/env bash
# Nothing is observed where nothing was asked for, and what is wrong or too small only costs values.
source "$(dirname "$0")/common.bash"

job=(mirror --case kernel --replays 24 --truth truth)
plain "${job[@]}"

probed no-match 'kernel:nothing=hash' every:1 "${job[@]}"
expect_counts no-match 'c["sampled"], c["shadows"], c["observations"]' "(0, 0, 0)"
probed none 'all=hash; all=none' every:1 "${job[@]}"
expect_counts none 'c["sampled"], c["shadows"], c["observations"]' "(0, 0, 0)"
probed never-due 'all=hash' 1000 "${job[@]}"
expect_counts never-due 'c["sampled"], c["shadows"], c["observations"]' "(0, 0, 0)"
probed some 'all=hash' 3,5-6,every:10 "${job[@]}"
expect_values some truth --may-lose
expect_counts some 'c["sampled"]' 5

export GRAPHTAP_DEVICE_MB=1
plain endings return --replays 200 --truth truth
probed small 'all=hash+copy:16' every:1 endings return --replays 200 --truth truth
expect_values small truth --fail-open
unset GRAPHTAP_DEVICE_MB

plain "${job[@]}"
export HOSTCUDA_TWINS
HOSTCUDA_TWINS=$(twins_of mirror)
with_cuda expect_status 125 "$graphtap" run -o bad -p 'all=dgest' -- "$build/jobs/mirror"
[[ ! -e bad ]] || fail "a run folder was made"
with_cuda expect_status 0 env GRAPHTAP_PROBE=all=dgest GRAPHTAP_OUT=bad \
  LD_PRELOAD="$build/lib/libgraphtap.so" "$build/jobs/mirror" "${job[@]:1}"
cmp -s out plain || fail "another output with a bad specification"
grep -qF "dgest" err || fail "no word of the bad specification: $(<err)"
