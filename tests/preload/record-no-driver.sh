#!/usr/bin/env bash
# A job whose cuInit fails ends as it does without graphtap: it used no CUDA, so there is nothing to say.
source "$(dirname "$0")/common.bash"
needs_stand_in

export HOSTCUDA_FAIL='cuInit:*:304,cuCtxGetCurrent:*:304' # what a real driver then says to any call
with_cuda expect_status 1 "$build/jobs/driver_api"
mv out plain
mv err plain.err
with_cuda expect_status 1 "$graphtap" run -o run1 -- "$build/jobs/driver_api"
cmp out plain || fail "another output: $(<out)"
grep -qF "$(<plain.err)" err || fail "another error: $(<err)"
! grep -q 'not recorded: the job used CUDA' err || fail "said to be unseen: $(<err)"
