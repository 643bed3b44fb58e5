#!/usr/bin/env bash
# The gradient that flows into a parameter goes by the parameter's name: it is selected by it and reports have it;
# where the name is known too late to select by it, reports have it all the same.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
torch=$build/jobs/torch_like/torch/lib/libtorch_cpu.so

# run_job RUN SPECIFICATION OPTION…
run_job() {
  HOSTCUDA_TWINS=$(twins_of python) with_cuda expect_status 0 "$graphtap" run -o "$1" --log quiet -p "$2" --replays 1 -- \
    python3 "$root/tests/jobs/python_gradients.py" "$torch" "${@:3}"
}

# sites_of RUN: its sites, each observed.
sites_of() {
  "$graphtap" tensors list "$1" --limit 0 --json >sites.json
  python3 -c '
import json
sites = json.load(open("sites.json"))["processes"][0]["sites"]
print(*(site["name"] + "[%d]" % site["invocation"] for site in sites if site["observed"] == 1))'
}

run_job one 'grad:layers.1.weight=hash'
expect_equal "$(sites_of one)" "layers.1.weight.grad0[0] layers.1.weight.grad0[1]" "one parameter"
run_job some 'grad:layers.*.bias=hash'
expect_equal "$(sites_of some)" "layers.0.bias.grad0[0] layers.1.bias.grad0[0] layers.0.bias.grad0[1] layers.1.bias.grad0[1]" \
  "a pattern"
run_job all 'grad:torch::autograd::AccumulateGrad=hash; grad:*.bias=none'
expect_equal "$(sites_of all)" \
  "layers.0.weight.grad0[0] layers.1.weight.grad0[0] layers.0.weight.grad0[1] layers.1.weight.grad0[1]" "by the node, without some"
GRAPHTAP_EAGER=1 run_job eager 'grad:layers.1.*=hash' --eager
expect_equal "$(sites_of eager)" \
  "layers.1.weight.grad0[0] layers.1.bias.grad0[0] layers.1.weight.grad0[1] layers.1.bias.grad0[1]" "without a graph"
"$graphtap" graphs all --nodes >shown
grep -q ' layers.1.weight.grad0 ' shown || fail "the gradient's name is not shown: $(<shown)"

# Nothing is asked of Python in a capture for other rules: the names come with the reading behind it.
run_job plain 'all=hash'
expect_json plain graphs '[op["gradient"]["key"] for op in r["graphs"][0]["op_list"]][:3]' \
  "['layers.0.weight', 'layers.0.bias', 'layers.1.weight']"
expect_json plain graphs '[op["gradient"]["of"] for op in r["graphs"][0]["op_list"]][0]' \
  "['torch::autograd::AccumulateGrad']"
expect_json one graphs '[op["gradient"]["of"] for op in r["graphs"][0]["op_list"]][0]' \
  "['layers.0.weight', 'torch::autograd::AccumulateGrad']"
