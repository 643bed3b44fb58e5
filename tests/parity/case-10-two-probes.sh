#!/usr/bin/env bash
# Case 10: two observed places in one graph, x + 1 and then * 3.
source "$(dirname "$0")/parity.bash"

"$arrays" two.npy float32 4 2 2 2 2
"$arrays" six.npy float32 4 6 6 6 6
watched run 'kernel:add.arg1=check:two.npy; kernel:mul.arg1=check:six.npy' 1 --inputs 1 add:1 mul:3
expect_checks run 2 0 0
