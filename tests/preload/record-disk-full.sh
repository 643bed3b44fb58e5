#!/usr/bin/env bash
# A file that cannot grow, because of a limit, a full disk or a fault of it: one line, the job goes
# on, what was written can be read, and what was not is counted in the file.
source "$(dirname "$0")/own_mounts.bash"
source "$(dirname "$0")/common.bash"

job=(endings return --replays 200)
plain "${job[@]}"

# by_hand RUN: the job with probes, whatever limits there are.
by_hand() {
  HOSTCUDA_TWINS=$(twins_of endings) GRAPHTAP_OUT=$1 GRAPHTAP_ZSTD=0 GRAPHTAP_PROBE=all=copy GRAPHTAP_WAIT_MS=60000 \
    GRAPHTAP_REPLAYS=every:1 LD_LIBRARY_PATH=$cuda \
    LD_PRELOAD=${preload:-}$build/lib/libgraphtap.so "$build/jobs/${job[0]}" "${job[@]:1}" >out 2>err
}

# stopped RUN REASON: what is left.
stopped() {
  cmp out plain || fail "$1: another output"
  expect_equal "$(wc -l <err)" 1 "$1: lines on stderr"
  grep -q "^graphtap: recording stopped, the job goes on: .*$2" err || fail "$1: $(<err)"
  expect_json "$1" info '[p["ended"] for p in r["processes"]]' "['exit']"
  expect_json "$1" info '[(f["damaged_places"], f["unfinished_bytes"], f["missing_messages"],
    [l["cause"] for l in f["losses"] if l["count"] > 0]) for f in r["damage"]["files"]]' \
    "[(0, 0, 0, ['write_failed'])]"
}

(
  ulimit -f 8 # blocks of 1024 bytes; the SIGXFSZ that comes with it would end the job
  by_hand limit
) || fail "the job failed under a limit: $(<err)"
stopped limit "File too large"

mkdir disk
trap 'umount -l disk; rm -rf "$work"' EXIT
mount -t tmpfs -o size=8k none disk
by_hand disk/run || fail "the job failed on a full disk: $(<err)"
stopped disk/run "No space left on device"

preload=$build/jobs/failing_write.so: FAILING_WRITES=2-2 by_hand faulty ||
  fail "the job failed on a faulty disk: $(<err)"
stopped faulty "Input/output error"
