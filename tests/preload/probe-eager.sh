#!/usr/bin/env bash
# Operators outside of captures are observed step by step: values, names and comparisons are those of the
# graph that is captured of the same step.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
what='op:*=digest+copy; grad:*=digest+copy'

# probed_eager RUN OPTIONS…: each step of the job.
probed_eager() {
  GRAPHTAP_EAGER=1 GRAPHTAP_STEP='st?p' probed "$1" "$what" every:1 torch_ops "${@:2}"
}

job=(--eager --truth truth)
plain torch_ops "${job[@]}"
for option in "" --late --threads --per-thread; do
  probed_eager "eager$option" "${job[@]}" ${option:+"$option"}
  expect_values "eager$option" truth --least 125
  expect_json "eager$option" info '[(g["key"], g["eager"], g["kinds"]) for g in r["processes"][0]["graphs"]]' \
    "[('step#0', True, {'operator': 23})]"
done

# The same step in a graph, and in one that calculates something else.
probed graph "$what" every:1 torch_ops
expect_status 0 "$graphtap" tensors compare eager graph
grep -q '^observations  125 matched, 0 mismatched, 0 inconclusive$' out || fail "other pairs: $(<out)"
grep -q inserted out && fail "nodes are held against operators: $(<out)"
plain torch_ops --plant
probed planted "$what" every:1 torch_ops --plant
expect_status 1 "$graphtap" tensors compare eager planted
grep -qF '  site        step#0/forward/aten::native_layer_norm.out0[0]' out || fail "first: $(<out)"
expect_status 0 "$graphtap" graphs eager --nodes
grep -q 'step#0  eager steps  23 nodes' out || fail "the graph is not told from others: $(<out)"

# Little room; two runs.
plain torch_ops "${job[@]}"
GRAPHTAP_DEVICE_MB=1 GRAPHTAP_WAIT_MS=20000 probed_eager small "${job[@]}"
expect_values small truth --least 125
diff <("$graphtap" dump eager --stable) <("$graphtap" dump small --stable) || fail "another time there are others"
