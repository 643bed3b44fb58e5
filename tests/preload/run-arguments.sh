#!/usr/bin/env bash
# The job gets its arguments, standard input and output untouched.
source "$(dirname "$0")/common.bash"

expect_status 0 "$graphtap" run -- printf '<%s>' '[a,b]' '' --help -o x -- run info 'a b' $'\xff'
expect_equal "$(<out)" "<[a,b]><><--help><-o><x><--><run><info><a b><"$'\xff'">" "arguments"
expect_equal "$(wc -l <err)" 1 "lines of the launcher"
# The record holds text: bytes that are none are replaced.
python3 -c 'import json; json.load(open("graphtap-run-1/launch.json", encoding="utf-8"))'

expect_equal "$(echo through | "$graphtap" run --log quiet -- cat)" through "standard input"
expect_status 0 "$graphtap" run --log quiet -- true
expect_equal "$(cat out err)" "" "output with --log quiet"
