#!/usr/bin/env bash
# What is observed of operators' tensors is what the job calculates; statistics are those of the type
# that the operator names, not the kernel. A check against another run, and a comparison of two, name
# the operator that calculates something else first.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
job=(torch_ops --truth truth)
plain "${job[@]}"
for option in "" --late --threads; do
  probed "run$option" 'op:*=digest+copy; grad:*=digest+copy' every:1 "${job[@]}" ${option:+"$option"}
  expect_values "run$option" truth --least 125 --may-lose
done
probed beside 'op:*, grad:*=hash+copy; kernel:*=copy:8; node:mem*=digest' every:1 "${job[@]}"
expect_values beside truth --least 125 --may-lose

"$graphtap" tensors show run '*_to_copy*' --replay 1 --json >shown.json
expect_equal "$(python3 -c "
import json
[seen] = json.load(open('shown.json'))['processes'][0]['observations']
print(seen['name'], seen['invocation'], seen['grade'], seen['dtype'], seen['bytes'], seen['exact'])
print(*(seen['statistics'][key] for key in ('numel', 'min', 'max', 'mean')), seen['values'][:3])")" \
  'aten::_to_copy.out0 1 op bfloat16 128 True
64 28.0 76.0 52.0 [28.0, 36.0, 44.0]' "the output of bfloat16"

# expect_checks RUN PASSED FAILED IMPOSSIBLE
expect_checks() {
  expect_json "$1" info '[sum(rule.get(count, 0) for rule in r["processes"][0]["probes"]["rules"])
    for count in ("passed", "failed", "impossible")]' "[$2, $3, $4]"
}
probed same 'op:*, grad:*=check:run' every:1 "${job[@]}"
expect_checks same 125 0 0
plain "${job[@]}" --plant
probed planted 'op:*, grad:*=check:run+copy' every:1 "${job[@]}" --plant
expect_values planted truth --least 125 --may-lose
# The operator itself, and eleven behind it, and the six gradients.
expect_checks planted 35 90 0
norm='graph#0/forward/aten::native_layer_norm.out0[0]'
expect_json planted info '[f["place"] for f in r["processes"][0]["probes"]["check_failures"]][0]' "x0@1 $norm"

expect_status 1 "$graphtap" tensors compare run planted
grep -qF "  site        $norm" out || fail "another first difference: $(<out)"
expect_status 0 "$graphtap" tensors compare run same
