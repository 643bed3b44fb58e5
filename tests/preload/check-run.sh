#!/usr/bin/env bash
# Values are checked against those of another run: elements where it kept bytes, else hashes; what it
# does not have is impossible to check and no failure.
source "$(dirname "$0")/../parity/parity.bash"

watched copies 'all.arg1=copy' every:1 --inputs 1,2,3 add:1 mul:2
watched hashes 'all.arg1=hash' every:1 --inputs 1,2,3 add:1 mul:2
for reference in copies hashes; do
  export GRAPHTAP_CHECK=$reference
  watched "same-$reference" 'all.arg1=check' every:1 --inputs 1,2,3 add:1 mul:2
  expect_checks "same-$reference" 6 0 0
  watched "other-$reference" 'all.arg1=check' every:1 --inputs 1,5,3 add:1 mul:2
  expect_checks "other-$reference" 4 2 0
done
unset GRAPHTAP_CHECK
expect_failure other-copies 'f["place"], f["element"], f["observed"], f["expected"]' \
  "('x0@2 graph#0/add.arg1[0]', 0, 6.0, 3.0)"
expect_failure other-hashes 'f["place"], f["element"], f["observed_hash"] != f["expected_hash"]' \
  "('x0@2 graph#0/add.arg1[0]', None, True)"
# Within the tolerance, in other bytes.
watched close 'all.arg1=check:copies' every:1 --inputs 1.000001,2,3 add:1 mul:2
expect_checks close 6 0 0
watched more 'all.arg1=check:copies' every:1 --inputs 1,2,3,4 add:1 mul:2 hidden:0
expect_checks more 6 0 6
grep -qF "copies has no such observation" err || fail "not said: $(<err)"
# A damaged reference is as good as what is left of it.
for file in copies/*.gtap; do printf 'damage' | dd of="$file" bs=1 seek=70 conv=notrunc status=none; done
watched damaged 'all.arg1=check:copies' 1 --inputs 1 add:1
