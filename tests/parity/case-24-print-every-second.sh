#!/usr/bin/env bash
# Case 24: print:2 over three replays is one line, for replay 2; the values as numpy prints them.
source "$(dirname "$0")/parity.bash"

watched run 'kernel:add.arg1=print:2' every:1 --inputs 1,2.5,3 add:0
expect_equal "$(grep 'x0@' err)" \
  'graphtap: x0@2 graph#0/add.arg1[0] float32 (4) [2.5 2.5 2.5 2.5] nan 0, inf 0, min 2.5, max 2.5, mean 2.5' \
  "the line"
watched long 'kernel:add*.arg1=print' 1 --elements 200 --inputs 0.1 add:0 add_int:-7
expect_equal "$(grep -c 'x0@1' err)" 2 "lines"
grep -qF 'add.arg1[0] float32 (200) [0.1 0.1 0.1 ... 0.1 0.1 0.1] nan 0' err || fail "$(<err)"
grep -qF 'add_int.arg1[0] int32 (200) [-6 -6 -6 ... -6 -6 -6] nan 0, inf 0, min -6, max -6, mean -6.0' err ||
  fail "$(<err)"
