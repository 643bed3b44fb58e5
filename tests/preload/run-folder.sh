#!/usr/bin/env bash
# The run folder: made for the owner alone, a run in it is protected, other files always are.
source "$(dirname "$0")/common.bash"

expect_status 0 "$graphtap" run -o deep/run/ -- true
expect_equal "$(stat -c %a deep/run)" 700 "mode"
expect_equal "$(ls deep/run)" launch.json "files"

expect_status 125 "$graphtap" run -o deep/run -- touch started
grep -q "deep/run' holds a run already" err || fail "line: $(<err)"
[[ ! -e started ]] || fail "the job was started"

touch deep/run/host.1.ab.gtap deep/run/notes.txt
mkdir deep/run/kept.gtap
expect_status 3 "$graphtap" run -o deep/run --overwrite -- sh -c 'exit 3'
expect_equal "$(ls deep/run | xargs)" "kept.gtap launch.json notes.txt" "after --overwrite"
grep -q '"exit_code": 3' deep/run/launch.json || fail "the old record is still there"

# A folder without a run is used as it is.
mkdir -m 755 mine
expect_status 0 "$graphtap" run -o mine -- true
expect_equal "$(stat -c %a mine)" 755 "mode of a folder that was there"

# Without -o: GRAPHTAP_OUT, else the first free number.
GRAPHTAP_OUT=named expect_status 0 "$graphtap" run -- true
[[ -f named/launch.json ]] || fail "GRAPHTAP_OUT was not used"
mkdir graphtap-run-1
expect_status 0 "$graphtap" run -- true
expect_status 0 "$graphtap" run -- true
[[ -f graphtap-run-2/launch.json && -f graphtap-run-3/launch.json ]] || fail "numbers: $(ls)"
