#!/usr/bin/env bash
# Other libraries that hook the same calls, before graphtap's or behind it: the job ends as without
# them, is recorded, and the run names them. Beside one that changes kernels nothing is observed.
source "$(dirname "$0")/common.bash"

ours=$build/lib/libgraphtap.so theirs=$build/jobs/hooks_too.so
preloaded() { # RUN LD_PRELOAD
  HOSTCUDA_TWINS=$(twins_of driver_api) with_cuda expect_status 0 env GRAPHTAP_OUT="$PWD/$1" \
    GRAPHTAP_PROBE=all=hash GRAPHTAP_REPLAYS=every:1 LD_PRELOAD="$2" "$build/jobs/driver_api"
  expect_equal "$(<out)" "driver_api ok 121000" "$1: the output"
}
p='r["processes"][0]'

preloaded first "$ours:$theirs"
expect_equal "$(grep -v '^hooks_too' err)" "" "first: standard error"
preloaded last "$theirs:$ours"
# Whether a look-up comes by depends on what the runtime libraries of the machine look up.
grep -qx "hooks_too: dlsym [a-z]*, launches yes, malloc yes" err || fail "last: the other library: $(<err)"
for run in first last; do
  expect_json $run info "$p['ended'], [x['replays'] for x in $p['executables']], $p['other_tools']" \
    "('exit', [2], ['preload $theirs'])"
  expect_counts $run 'c["sampled"], c["losses"]' "(2, {})"
done

# What is in front and asks glibc alone hides a job that looks its calls up: this is said.
HOSTCUDA_TWINS=$(twins_of endings) with_cuda expect_status 0 env GRAPHTAP_OUT="$PWD/hidden" \
  LD_PRELOAD="$theirs:$ours" "$build/jobs/endings" return
expect_equal "$(<out)" "10 replays launched" "hidden: the output"
grep -q '^graphtap: not recorded: the job used CUDA by look-ups' err || fail "hidden: $(<err)"
[[ ! -e hidden ]] || fail "hidden: a run"

tool=$build/jobs/changes_kernels.so
preloaded tool "$tool:$ours"
expect_equal "$(<err)" \
  "graphtap: nothing is observed, because another tool changes the kernels: NVBit" "standard error"
expect_json tool info "[x['replays'] for x in $p['executables']], $p['other_tools']" \
  "([2], ['NVBit', 'preload $tool'])"
expect_counts tool 'c["observations"], c["skips"], c["launches"]' "(0, {'16': 1}, 2)"
export NV_SANITIZER_INJECTION_PORT_BASE=1
preloaded sanitizer "$ours"
grep -q 'the kernels: compute-sanitizer' err || fail "the sanitizer is not named: $(<err)"
