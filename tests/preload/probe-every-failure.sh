#!/usr/bin/env bash
# Whatever driver call of graphtap's own fails, the first, the second, or each time: the job ends as
# it does without graphtap, what was observed is right, and what is missing is counted.
source "$(dirname "$0")/common.bash"
needs_stand_in

job=(mirror --case each_launch --replays 4 --truth truth)
plain "${job[@]}"
cp plain right
calls=$(sed -n 's/^GT_\(PROBE_\)\{0,1\}CALL([a-z_0-9]*, \(cu[A-Za-z0-9]*\),.*/\2/p' \
  "$root/interpose/driver/calls.inc" | sort -u)

# own_calls CALL: how often, at least, the job itself makes it: the first failure that it survives.
own_calls() {
  local n
  for ((n = 1; n <= 9; ++n)); do
    export HOSTCUDA_FAIL="$1:$n:999"
    plain "${job[@]}" 2>/dev/null && cmp -s plain right && break
  done
  cp right plain
  echo $((n - 1))
}

tried=0
for call in $calls; do
  HOSTCUDA_FAIL="$call:999999:999" plain "${job[@]}" 2>/dev/null || continue # hostcuda lacks it
  own=$(own_calls "$call")
  harmed=0
  for nth in 1 2 '*'; do
    ((own == 0)) || [[ $nth != '*' ]] || continue # the job would need it
    export HOSTCUDA_FAIL="$call:$nth:999"
    tried=$((tried + 1))
    status=0
    HOSTCUDA_TWINS=$(twins_of mirror) with_cuda "$graphtap" run -o run --overwrite --log quiet \
      -p 'all=hash+copy:16' --replays every:1 -- "$build/jobs/${job[0]}" "${job[@]:1}" >out 2>err ||
      status=$?
    if [[ $status != 0 ]] || ! cmp -s out right; then
      harmed=$((harmed + 1))
      continue
    fi
    expect_values run truth --least 0 --fail-open
  done
  # A call of the job's own may have been the one that failed, once each.
  ((harmed <= own)) || fail "$call: $harmed failures reached the job, which makes $own such calls"
done
((tried >= 150)) || fail "only $tried failures were tried"
