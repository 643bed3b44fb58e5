#!/usr/bin/env bash
# A process whose library uses CUDA before main() is recorded.
source "$(dirname "$0")/common.bash"

LD_LIBRARY_PATH=$build/jobs:$cuda expect_status 0 \
  "$graphtap" run -o run1 --log quiet -- "$build/jobs/early"
expect_json run1 info "[(p['program'], p['ended']) for p in r['processes']]" "[('early', 'exit')]"
