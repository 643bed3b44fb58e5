#!/usr/bin/env bash
# Case 1: ones + 2 against an array of threes, in each of three replays.
source "$(dirname "$0")/parity.bash"

"$arrays" three.npy float32 4 3 3 3 3
watched run 'kernel:add.arg1=check:three.npy' every:1 --inputs 1,1,1 add:2
expect_checks run 3 0 0
expect_counts run 'c["sampled"], c["losses"]' "(3, {})"
