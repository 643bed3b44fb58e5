#!/usr/bin/env bash
# What an adapter tells of a framework: each graph has its operators, with what they gave and wrote, and
# each node the operator that added it; the same in two runs, however late the framework is loaded and
# on whichever thread an operator runs.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
expected=$root/tests/jobs/torch_ops/operators.txt
plain torch_ops
for options in "" --late --threads "--late --threads"; do
  run=run${options// /}
  read -ra words <<<"$options"
  record "$run" torch_ops "${words[@]}"
  cmp -s out plain || fail "$run: another output than without graphtap: $(diff plain out)"
  "$values/operators.py" "$graphtap" "$run" >"$run.txt"
  cmp -s "$run.txt" "$expected" || fail "$run: other operators: $(diff "$expected" "$run.txt")"
  record "$run-again" torch_ops "${words[@]}"
  diff <("$graphtap" dump "$run" --stable) <("$graphtap" dump "$run-again" --stable) >changes ||
    fail "$run: another time it is recorded otherwise: $(<changes)"
done

"$graphtap" dump run --stable >dumped
grep -q aten::native_layer_norm dumped || fail "the dump has no operators"
expect_json run graphs \
  '[(o["operator"], o["operators"], o["nodes"], o["outputs"], o["written"])
    for o in r["graphs"][0]["operators"] if o["operators"] > 1 or o["nodes"] != 1 or o["written"]]' \
  "[('aten::add.Tensor', 3, 3, 3, 0), ('aten::add_.Tensor', 3, 3, 0, 3), ('aten::_to_copy', 2, 2, 2, 0), \
('aten::mm', 2, 2, 2, 0), ('aten::mul.Tensor', 2, 2, 2, 0), \
('aten::_foreach_add_.Scalar', 1, 1, 0, 3), ('aten::_softmax', 1, 2, 1, 0), ('aten::cat', 1, 2, 1, 0), \
('aten::native_layer_norm', 1, 2, 1, 0)]"
"$graphtap" graphs run --nodes >shown
grep -qx '  operators  19, with 14 outputs and 6 written arguments; 22 of 25 nodes have one; 6 gradients' shown ||
  fail "the operators are not counted: $(<shown)"
grep -q 'forward  aten::native_layer_norm\[0\] > aten::mul.Tensor  scale_add' shown ||
  fail "what ran inside an operator is not shown: $(<shown)"
