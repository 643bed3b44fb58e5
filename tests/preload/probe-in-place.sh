#!/usr/bin/env bash
# GRAPHTAP_INPLACE=1: graphs that cannot be cloned are probed as they are: each sampled replay shows
# its values.
source "$(dirname "$0")/common.bash"
source "$(dirname "$0")/mirror.bash"

also() { # RUN
  expect_json "$1" info \
    'all(s["in_place"] and not s["skip"] for s in r["processes"][0]["probes"]["shadows"])' True
}
export GRAPHTAP_INPLACE=1
expect_mirror --list-in-place 11
