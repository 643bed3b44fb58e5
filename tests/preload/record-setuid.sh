#!/usr/bin/env bash
# A setuid program is never recorded, also where the library gets into it: the loader ignores
# LD_PRELOAD there, but not /etc/ld.so.preload.
source "$(dirname "$0")/own_mounts.bash"
source "$(dirname "$0")/common.bash"
needs_stand_in

chmod 0755 "$work"
mkdir -m 0777 runs
cp "$build/jobs/forks" usual
cp usual raised
chown nobody raised
chmod 4755 raised

cp -a /etc etc
printf '%s\n' "$build/lib/libgraphtap.so" "$build/hostcuda/libcuda.so.1" >etc/ld.so.preload
mount --bind etc /etc
trap 'umount -l /etc; rm -rf "$work"' EXIT
for program in usual raised; do
  expect_status 0 env GRAPHTAP_OUT="$work/runs/$program" "./$program" alone
  expect_equal "$(<out)" "used CUDA alone" "$program: the output"
done
trap 'rm -rf "$work"' EXIT
umount /etc
expect_equal "$(ls runs)" "usual" "runs"
