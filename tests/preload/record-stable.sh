#!/usr/bin/env bash
# Two runs of one deterministic job give the same stable text, and the text has its kernels.
source "$(dirname "$0")/common.bash"

record run1 train_loop --replays 20 --update 5
record run2 train_loop --replays 20 --update 5
"$graphtap" dump run1 --stable >stable1
"$graphtap" dump run2 --stable >stable2
cmp stable1 stable2 || fail "the stable texts differ: $(diff stable1 stable2 | head -5)"
grep -q 'cuGraphExecKernelNodeSetParams' stable1 || fail "no update in the stable text"
grep -q 'last: 20' stable1 || fail "no replay 20 in the stable text"
