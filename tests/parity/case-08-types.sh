#!/usr/bin/env bash
# Case 8: float32, int32, bool are recorded and checked; complex64 too.
source "$(dirname "$0")/parity.bash"

"$arrays" all.safetensors 'add.arg1' float32 4 2,2,2,2 'add_int.arg1' int32 4 3,3,3,3 \
  'is_above.arg1' bool 4 1,1,1,1 'add_complex.arg1' complex64 4 2.5,0,2.5,0,2.5,0,2.5,0
watched run 'kernel:add.arg1, kernel:add_int.arg1, kernel:is_above.arg1=copy+check:all.safetensors' \
  1 --inputs 1 add:1 add_int:1 is_above:1
expect_checks run 3 0 0
shown run '*.arg1' '[x["dtype"] for x in o], [x["values"][0] for x in o]' \
  "(['float32', 'int32', 'bool'], [2.0, 3, True])"
# The signature of the kernel does not tell what float2 is: the reference does.
watched complex 'kernel:add_complex.arg1=check:all.safetensors' 1 --inputs 1 add:1 add_complex:0.5
expect_checks complex 1 0 0
"$arrays" float.npy float32 4 2 2 2 2
watched types 'kernel:add_int.arg1=check:float.npy' 1 --inputs 1 add_int:1
expect_checks types 0 0 1
grep -qF "a check is not possible: 'kernel:add_int.arg1=check:$PWD/float.npy': x0@1 graph#0/add_int.arg1[0]: its elements are int32, the reference's float32" err || fail "not said: $(<err)"
