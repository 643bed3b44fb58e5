#!/usr/bin/env bash
# Cases 13 and 17: a tensor for each invocation, of its own shape; an invocation without one is named
# and not checked.
source "$(dirname "$0")/parity.bash"

"$arrays" both.safetensors 'add.arg1[0]' float32 2x3 1,1,1,1,1,1 'graph#0/add.arg1[1]' float32 4 3,3,3,3
watched run 'kernel:add.arg1=check:both.safetensors' 1 --elements 6 --inputs 0 add:1 add:2:4
expect_checks run 2 0 0
"$arrays" one.safetensors 'add.arg1[0]' float32 2x3 1,1,1,1,1,1 other int32 1 1
watched less 'kernel:add.arg1=check:one.safetensors' 1 --elements 6 --inputs 0 add:1 add:2:4
expect_checks less 1 0 1
grep -qF "one.safetensors has 2 tensors and none called add.arg1[1]" err || fail "not said: $(<err)"
watched short 'kernel:add.arg1=check:one.safetensors' 1 --elements 4 --inputs 0 add:1
expect_checks short 0 0 1
grep -qF "it has 16 bytes, the reference 24" err || fail "not said: $(<err)"
