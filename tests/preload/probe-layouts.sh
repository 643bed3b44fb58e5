#!/usr/bin/env bash
# Tensors whose elements do not lie in C order are observed in C order: hashes, copies, cut copies and
# checks, also in memory of the graph itself, with probes in the job's own graph. What no probe can read
# is refused by name.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
job=(torch_layouts --truth truth)
plain "${job[@]}"
probed run 'op:*=digest+copy' every:1 "${job[@]}"
expect_values run truth --least 51 --may-lose
nine="[{'reason': 'site_strided', 'count': 1, 'sites': ['graph#0/lies::nine_ways.out0[0]']}]"
expect_json run info 'r["processes"][0]["probes"]["refused"]' "$nine"
for actions in copy:5 hash copy hash+copy:1000; do
  probed "run-$actions" "op:*=$actions" every:1 "${job[@]}"
  expect_values "run-$actions" truth --least 51 --may-lose
done
# Of a node with tensors of both sorts.
probed both 'op:lies::two_ways=digest+copy' every:1 "${job[@]}"
expect_json both info '[(s["sites"], s["probes"]) for s in r["processes"][0]["probes"]["shadows"]]' '[(2, 3)]'

expect_checked() {
  expect_json "$1" info '[sum(rule.get(count, 0) for rule in r["processes"][0]["probes"]["rules"])
    for count in ("passed", "failed", "impossible")]' '[51, 0, 0]'
}
probed again 'op:*=check:run' every:1 "${job[@]}"
expect_checked again
probed hashes 'op:*=check:run-hash' every:1 "${job[@]}"
expect_checked hashes

# Also where the strides change, and in memory of the graph.
for option in --update --in-graph; do
  job=(torch_layouts "$option" --truth truth)
  plain "${job[@]}"
  GRAPHTAP_INPLACE=1 probed "run$option" 'op:*=digest+copy' every:1 "${job[@]}"
  expect_values "run$option" truth --least 51 --may-lose
done

# The two lie otherwise in memory, and have the same elements.
job=(torch_ops)
plain "${job[@]}"
probed printed 'op:aten::native_layer_norm, op:aten::clone = digest+copy+print' 3 "${job[@]}"
expect_equal "$(sed -n 's/.*clone.out0\[0\] //p' err)" "$(sed -n 's/.*norm.out0\[0\] //p' err)" "what is printed"
[[ $(wc -l <err) == 2 ]] || fail "not a line for each: $(<err)"
"$graphtap" tensors show printed '*' --json >shown.json
expect_equal "$(python3 -c "
import json
norm, clone = json.load(open('shown.json'))['processes'][0]['observations']
print(*(norm[key] == clone[key] for key in ('hash', 'statistics', 'values', 'bytes', 'name')))")" \
  'True True True True False' "a tensor and the same one transposed"
