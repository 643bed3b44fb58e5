#!/usr/bin/env bash
# Where Python code copies and fills in captures outside of operators, told from Python's own frames at each of the
# driver's calls for it; not of operators, which say it; not where nothing is copied, as that adds no node.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
torch=$build/jobs/torch_like/torch/lib/libtorch_cpu.so

for python in $(pythons); do
  rm -rf run
  with_cuda expect_status 0 "$graphtap" run -o run -- "$python" "$root/tests/jobs/python_copies.py" "$torch" truth
  "$values/regions.py" "$graphtap" run truth >places 2>faults || fail "$python: $(<places) $(<faults)"
  expect_equal "$(<places)" "31 nodes, 0 in regions, 0 faults" "$python: what was compared"
done
