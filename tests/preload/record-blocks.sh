#!/usr/bin/env bash
# What an adapter tells of a framework's allocator: each operand of a node has the block that it was in
# when the node was added, not when the capture ended, and ends with it; events and states agree; the same
# in two runs, however late the framework is loaded and whatever another thread does meanwhile.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
allocator='r["processes"][0]["allocator"]'
plain torch_blocks
for options in "" --late --busy "--late --busy"; do
  run=run${options// /}
  read -ra words <<<"$options"
  record "$run" torch_blocks "${words[@]}" --truth truth
  cmp -s out plain || fail "$run: another output than without graphtap: $(diff plain out)"
  "$values/blocks.py" "$graphtap" "$run" truth >counted 2>wrong || fail "$run: $(<wrong)"
  expect_equal "$(<counted)" "35 24" "$run: operands, and those whose block was gone at the end"
  expect_json "$run" info "sum(c['different'] + c['lost_events'] for c in $allocator['checked'])" 0
  expect_json "$run" info "[$allocator['states'], $allocator['checked'][-1]['label']]" "[6, 'exit']"
  record "$run-again" torch_blocks "${words[@]}"
  diff <("$graphtap" dump "$run" --stable) <("$graphtap" dump "$run-again" --stable) >changes ||
    fail "$run: another time it is recorded otherwise: $(<changes)"
done

# At the start the blocks are there that the first operator finds; late, all that the capture does.
checked="[(c['label'], c['moment'], c['blocks']) for c in $allocator['checked']]"
expect_json run info "$checked" "[('start', 0, 1), ('capture:0:begin', 3, 3), ('capture:0:end', 34, 4), \
('capture:1:begin', 34, 4), ('capture:1:end', 42, 3), ('exit', 48, 0)]"
expect_json run--late info "$checked" "[('start', 0, 3), ('capture:0:begin', 0, 3), \
('capture:0:end', 31, 4), ('capture:1:begin', 31, 4), ('capture:1:end', 39, 3), ('exit', 45, 0)]"
expect_json run info "$allocator['by_action']" \
  "{'alloc': 15, 'free_requested': 16, 'free_completed': 16, 'segment_alloc': 1}"
"$graphtap" info run >shown
grep -qx '  allocator    48 events, 6 states as the events say' shown || fail "info: $(<shown)"

# One that cannot be watched: one line says so.
for option in "" --late; do
  HOSTCUDA_TWINS=$(twins_of torch_blocks) TORCH_LIKE_NO_ALLOCATOR='it is odd' with_cuda expect_status 0 \
    "$graphtap" run -o "none$option" --log warning -- "$build/jobs/torch_blocks" ${option:+"$option"}
  cmp -s out plain || fail "none$option: another output than without graphtap: $(diff plain out)"
  expect_equal "$(grep -v '^graphtap run: ' err)" \
    'graphtap: blocks of memory are not known: it is odd' "none$option: standard error"
  expect_json "none$option" info "[$allocator['events'], $allocator['states']]" '[0, 0]'
  expect_json "none$option" graphs \
    'any("block" in o for g in r["graphs"] for n in g["node_list"] for o in n["operands"])' False
done
