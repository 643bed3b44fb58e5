#!/usr/bin/env bash
# Whichever way a program looks a hooked call up, it gets the hook; whichever way it looks anything
# else up, it gets what it gets without graphtap.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_OUT=$PWD/run1 LD_PRELOAD=$build/lib/libgraphtap.so
with_cuda expect_status 0 "$build/jobs/lookups"
