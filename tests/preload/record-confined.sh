#!/usr/bin/env bash
# Under a container's filter of system calls, and with a root that cannot be written, a job is recorded
# and observed as anywhere.
source "$(dirname "$0")/own_mounts.bash"
source "$(dirname "$0")/common.bash"

job=(endings return --replays 20 --truth truth)
plain "${job[@]}"
observed() { # RUN COMMAND…
  HOSTCUDA_TWINS=$(twins_of endings) with_cuda expect_status 0 "${@:2}" "$graphtap" run -o "$1" \
    --log quiet -p 'all=hash+copy:16' --replays every:1 -- "$build/jobs/${job[0]}" "${job[@]:1}"
  cmp out plain || fail "$1: another output"
}

observed filtered "$build/jobs/confined"
expect_values filtered truth --least 20 --may-lose

mkdir small
mount -t tmpfs -o size=16m none small
trap 'cd /; mount -o remount,bind,rw /; umount -l "$work/small"; rm -rf "$work"' EXIT
cp truth plain small
cd small
mount -o remount,bind,ro /
touch "$work/there" 2>/dev/null && fail "the root can be written"
observed "$PWD/read_only"
cd /
"$graphtap" run -- true 2>"$work/small/err" && fail "a run folder in a folder that cannot be written"
cd - >/dev/null
grep -q "cannot be the run folder: Read-only file system" err || fail "the folder: $(<err)"
with_cuda expect_status 0 env GRAPHTAP_OUT=/run1 LD_PRELOAD="$build/lib/libgraphtap.so" \
  HOSTCUDA_TWINS="$(twins_of endings)" "$build/jobs/endings" return
expect_equal "$(<err)" \
  "graphtap: not recording: cannot create the run file: /run1: Read-only file system" "standard error"
expect_values read_only truth --least 20 --may-lose
