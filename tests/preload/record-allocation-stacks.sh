#!/usr/bin/env bash
# Where Python code takes and gives back memory of the framework's allocator, in captures and outside, if that is
# asked for; the program does what it does without.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
torch=$build/jobs/torch_like/torch/lib

# run_job RUN OPTION…: its dump in RUN.dump.
run_job() {
  with_cuda expect_status 0 "$graphtap" run -o "$1" "${@:2}" -- \
    python3 "$root/tests/jobs/python_allocations.py" "$torch/libtorch_cpu.so" "$torch/libc10_cuda.so" "$1.truth"
  expect_equal "$(<out)" 9 "what the program prints"
  expect_equal "$(grep -v '^graphtap run: recorded' err || true)" "" "what is said"
  "$graphtap" dump "$1" >"$1.dump"
}

run_job asked --alloc-stacks
"$values/allocation_stacks.py" asked.dump asked.truth >seen 2>faults || fail "$(<faults)"
expect_equal "$(<seen)" "9 events with a place, 4 without" "the events"
grep -q 'stack: [0-9]*  # ".*python_allocations.py:[0-9]* allocate"' asked.dump || fail "the dump does not say where"
expect_json asked info 'r["damage"]["files"][0]["losses"]' "[]"

# By itself, and where there are no stacks at all, they have none.
for options in "" "--alloc-stacks --stacks off"; do
  read -ra words <<<"$options"
  run_job "plain${#words[@]}" "${words[@]}"
  "$values/allocation_stacks.py" "plain${#words[@]}.dump" asked.truth >seen 2>faults && fail "'$options': there are stacks"
  grep -q "^\['ACTION_ALLOC', \[\]\]" faults || fail "'$options': $(<faults)"
done
