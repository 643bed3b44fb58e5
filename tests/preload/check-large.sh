#!/usr/bin/env bash
# Values of more than one piece are fetched, printed and checked to the last byte.
source "$(dirname "$0")/common.bash"

job=(chain_copies --replays 2 --kernels 8 --bytes 5000000)
plain "${job[@]}"
probed copies 'kernel:scale_add.arg1=copy' every:1 "${job[@]}"
probed same 'kernel:scale_add.arg1=check:copies+print' every:1 "${job[@]}"
expect_json same info '[(rule["passed"], rule["failed"]) for rule in r["processes"][0]["probes"]["rules"]]' \
  "[(32, 0)]"
expect_equal "$(grep -c ' scale_add.arg1\[[0-9]*\] float32 (1250000) \[0' err || true)" 0 "other lines"
expect_equal "$(grep -c '/scale_add.arg1\[[0-9]*\] float32 (1250000) \[.* \.\.\. .*\] nan 0, inf 0, min' err)" \
  32 "lines"
