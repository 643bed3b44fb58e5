#!/usr/bin/env bash
# launch.json: what was started, in which state of the sources, and how it ended.
source "$(dirname "$0")/common.bash"

# field FILE NAME: as JSON text.
field() { python3 -c 'import json, sys; print(json.dumps(json.load(open(sys.argv[1]))[sys.argv[2]]))' "$@"; }

before=$(date +%s%N)
expect_status 5 "$graphtap" run -o a -- sh -c \
  'until cp a/launch.json early.json 2>/dev/null; do :; done; echo $$ >pid; exit 5'
after=$(date +%s%N)
expect_equal "$(field a/launch.json command | cut -c 1-11)" '["sh", "-c"' command
expect_equal "$(field a/launch.json pid)" "$(<pid)" pid
expect_equal "$(field a/launch.json exit_code)" 5 "exit code"
expect_equal "$(field a/launch.json signal)" null signal
expect_equal "$(field a/launch.json git_revision)" null "revision outside a checkout"
start=$(field a/launch.json start_realtime_ns | tr -d '"')
end=$(field a/launch.json end_realtime_ns | tr -d '"')
((before <= start && start <= end && end <= after)) || fail "times: $before $start $end $after"

# While the job runs there is a record without an end.
for name in exit_code signal end_realtime_ns; do
  expect_equal "$(field early.json $name)" null "early $name"
done

expect_status 138 "$graphtap" run -o b -- sh -c 'kill -USR1 $$'
expect_equal "$(field b/launch.json exit_code)" null "exit code after a signal"
expect_equal "$(field b/launch.json signal)" 10 "signal"

# The revision comes from git, by a stand-in for it.
mkdir bin
revision=0123456789abcdef0123456789abcdef01234567
printf '#!/bin/sh\necho %s\n' $revision >bin/git
chmod +x bin/git
PATH=$PWD/bin:$PATH expect_status 0 "$graphtap" run -o c -- printenv GRAPHTAP_META_git_revision
expect_equal "$(<out)" $revision "revision in the environment"
expect_equal "$(field c/launch.json git_revision)" "\"$revision\"" "revision in the record"
