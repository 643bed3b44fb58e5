#!/usr/bin/env bash
# Where the Python code called the operators of a capture: as Python itself says it, in each version of
# CPython at hand, while another thread runs Python code too; the same in two runs; none if it is off.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
torch=$build/jobs/torch_like/torch/lib/libtorch_cpu.so

# run_job RUN PYTHON: its truth in RUN.truth.
run_job() {
  with_cuda expect_status 0 "$graphtap" run -o "$1" "${options[@]}" -- "$2" "$root/tests/jobs/python_ops.py" "$torch" "$1.truth" \
    "${job_options[@]}"
}

options=() job_options=()
for python in $(pythons); do
  rm -rf run
  run_job run "$python"
  expect_equal "$(grep -v "^graphtap run: recorded" err || true)" "" "$python: what is said"
  "$values/stacks.py" "$graphtap" run run.truth >stacks 2>faults || fail "$python: $(<stacks) $(<faults)"
done

run_job again python3
diff <("$graphtap" dump run --stable) <("$graphtap" dump again --stable) >changes ||
  fail "another time it is recorded otherwise: $(head -50 changes)"
"$graphtap" graphs run --nodes >shown
grep -q 'plain\[0\]  *python_ops.py:[0-9]* step ' shown || fail "the place of a node is not shown: $(head -40 shown)"

options=(--stacks off)
run_job off python3
for run in run off; do "$graphtap" dump "$run" >"$run.dump"; done
grep -q 'stack: [0-9]*  # ".*python_ops.py:[0-9]* Layer.__del__"' run.dump || fail "the dump has no stacks"
grep 'stack' off.dump >left && fail "stacks are recorded that are off: $(head -3 left)"

# Before the self-test there are no stacks: those are counted, and one line says why.
options=() job_options=(--waiting)
run_job waiting python3
expect_equal "$(grep -v '^graphtap run' err)" \
  "graphtap: where Python code called what is captured is not known: the main thread has run no Python since CUDA began" "what is said"
expect_counts waiting 'c["losses"]' "{'no_stack': 2}"
