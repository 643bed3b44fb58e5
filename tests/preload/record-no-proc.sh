#!/usr/bin/env bash
# Without /proc a job is recorded and observed as anywhere. The real driver does not start there.
source "$(dirname "$0")/common.bash"
needs_stand_in

job=(endings return --replays 20 --truth truth)
plain "${job[@]}"
without_proc='mount -t tmpfs none /proc; [[ ! -e /proc/self ]] || exit 1; exec "$@"'
HOSTCUDA_TWINS=$(twins_of endings) with_cuda expect_status 0 unshare -m bash -c "$without_proc" - \
  "$graphtap" run -o run1 --log quiet -p 'all=hash+copy:16' --replays every:1 -- \
  "$build/jobs/${job[0]}" "${job[@]:1}"
cmp -s out plain || fail "another output"
expect_values run1 truth --least 20 --may-lose
