#!/usr/bin/env bash
# Cases 6 and 23: the first failure is kept with replay, element and values, whatever comes later.
source "$(dirname "$0")/parity.bash"

"$arrays" zero.npy float32 2x2 0 0 0 0
watched run 'kernel:add.arg1=check:zero.npy' every:1 --inputs 1,2,0 add:0
expect_checks run 1 2 0
expect_failure run 'f["place"], f["replay"]' "('x0@1 graph#0/add.arg1[0]', 1)"
expect_failure run 'f["element"], f["coordinates"], f["observed"], f["expected"]' "(0, [0, 0], 1.0, 0.0)"
expect_failure run 'f["mismatches"], f["compared"]' "(4, 4)"
grep -qF "a check failed: 'kernel:add.arg1=check:$PWD/zero.npy': x0@1 graph#0/add.arg1[0]: element 0 (0, 0) is 1.0, expected 0.0; 4 of 4 elements differ" err ||
  fail "not said: $(<err)"
expect_equal "$(grep -c 'a check failed' err)" 1 "how often it is said"
"$arrays" one.npy float32 4 1 1 1 1
watched later 'kernel:add.arg1=check:one.npy' every:1 --inputs 1,2 add:0
expect_failure later 'f["replay"], f["observed"]' "(2, 2.0)"
"$graphtap" info later >report
grep -q 'x0@2 graph#0/add.arg1\[0\] *element 0 is 2.0, expected 1.0; 4 of 4 elements differ' report ||
  fail "not in the report: $(<report)"
