#!/usr/bin/env bash
# Case 2: what runs outside of graphs is neither observed nor checked, wrong as it may be.
source "$(dirname "$0")/parity.bash"

"$arrays" three.npy float32 4 3 3 3 3
watched run 'kernel:add.arg1=check:three.npy' 1 --eager --inputs 1 add:2
expect_checks run 1 0 0
"$arrays" wrong.npy float32 4 0 0 0 0
watched never 'kernel:set.arg0=check:wrong.npy' 1 --eager --inputs 1 add:2
expect_checks never 0 0 0
