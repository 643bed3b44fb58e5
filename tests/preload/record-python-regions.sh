#!/usr/bin/env bash
# Which code of torch.compile launched a kernel in a capture, what was compiled, and the program's line that called
# it, told from Python's own frames at the launch; the same in two runs; by the kernel alone without an adapter.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
torch=$build/jobs/torch_like/torch/lib/libtorch_cpu.so

# run_job RUN OPTION…: by $python, its truth in RUN.truth.
run_job() {
  HOSTCUDA_TWINS=$(twins_of python_regions) with_cuda expect_status 0 "$graphtap" run -o "$1" "${@:2}" -- \
    "$python" "$root/tests/jobs/python_regions.py" "$torch" "$1.truth"
  expect_equal "$(grep -v "^graphtap run: recorded" err || true)" "" "$1: what is said"
}

for python in $(pythons); do
  rm -rf run
  run_job run
  "$values/regions.py" "$graphtap" run run.truth >regions 2>faults || fail "$python: $(<regions) $(<faults)"
  expect_equal "$(<regions)" "21 nodes, 15 in regions, 0 faults" "$python: what was compared"
done

run_job again
diff <("$graphtap" dump run --stable) <("$graphtap" dump again --stable) >changes ||
  fail "another time it is recorded otherwise: $(head -50 changes)"

"$graphtap" graphs run --nodes >shown
for line in ' 4  3/1     cl5zl5zl5zl5…  python_regions.py:[0-9]* [A-Za-z._]*forward  *python_regions.py:[0-9]* trains$' \
  ' python_regions.py:[0-9]* trains  *3/1 cl5zl5zl5zl5…:6 call  *triton_red_fused_1 <<<'; do
  grep -q "$line" shown || fail "a region is not shown as $line: $(head -60 shown)"
done

# What an operator launches has its own place then.
run_job bare --adapter off
expect_json bare graphs '[sum(row["nodes"] for row in g["regions"]) for g in r["graphs"]][:2]' "[4, 1]"

run_job off --stacks off
"$graphtap" dump off | grep stack >left && fail "stacks are recorded that are off: $(head -3 left)"

# Two launches of one kernel.
run_job probed -p 'kernel:triton_poi_fused_0=hash'
"$graphtap" tensors list probed --limit 0 --json >sites.json
expect_equal "$(python3 -c '
import json
for site in json.load(open("sites.json"))["processes"][0]["sites"][:2]:
    region = site["region"]
    print(site["name"], site["invocation"], region["line"]["line"], region["caller"]["function"])')" \
  $'triton_poi_fused_0.arg0 0 3 trains\ntriton_poi_fused_0.arg0 1 7 trains' "the sites"
"$graphtap" tensors list probed >shown
grep -q 'fused_0.arg0\[1\] .*python_regions.py:[0-9]* trains  *3/1 cl5zl5zl5zl5…:7 call$' shown || fail "where a site is launched: $(<shown)"
