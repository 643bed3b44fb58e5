# What the scripts of this folder share, beside those of tests/preload: sourced with the build folder
# as $1.
source "$(dirname "${BASH_SOURCE[0]}")/../preload/common.bash"
arrays=$root/tests/parity/arrays.py

# watched RUN SPECIFICATION REPLAYS ARGUMENTS…: the parity job under graphtap, its output as without;
# what it says is in err.
watched() {
  local run=$1 specification=$2 replays=$3
  shift 3
  plain parity "$@"
  HOSTCUDA_TWINS=$(twins_of parity) with_cuda expect_status 0 "$graphtap" run -o "$run" \
    -p "$specification" --replays "$replays" -- "$build/jobs/parity" "$@"
  cmp -s out plain || fail "$run: another output than without graphtap: $(diff plain out)"
}

# expect_checks RUN PASSED FAILED IMPOSSIBLE: of all rules together.
expect_checks() {
  expect_json "$1" info '[sum(rule.get(count, 0) for rule in r["processes"][0]["probes"]["rules"])
    for count in ("passed", "failed", "impossible")]' "[$2, $3, $4]"
}

# expect_failure RUN EXPRESSION EXPECTED: a Python expression over `f`, the first failure of a check.
expect_failure() {
  expect_json "$1" info "[($2) for f in r[\"processes\"][0][\"probes\"][\"check_failures\"][:1]][0]" "$3"
}

# shown RUN PATTERN EXPRESSION EXPECTED: a Python expression over `o`, the observations of that name.
shown() {
  local seen
  "$graphtap" tensors show "$1" "$2" --json >shown.json 2>shown.err || fail "show: $(<shown.err)"
  seen=$(python3 -c "
import json
o = json.load(open('shown.json'))['processes'][0]['observations']
print(($3))")
  expect_equal "$seen" "$4" "$1: $2: $3"
}
