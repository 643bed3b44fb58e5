#!/usr/bin/env bash
# Points have the state of a framework's allocator: at captures, when it runs out of memory, at a signal,
# at the end, whether the framework was loaded before or after CUDA began.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
export GRAPHTAP_POINTS='capture;oom;exit;replay:1;nvtx:*;instantiate'
points='r["processes"][0]["points"]'
bytes='[(p["label"], p["devices"][0]["allocator"]["allocated_bytes"], p["devices"][0]["allocator"]["reserved_bytes"])'
plain torch_blocks --full
for option in "" --late; do
  run=run$option
  read -ra words <<<"$option"
  record "$run" torch_blocks "${words[@]}" --full
  cmp -s out plain || fail "$run: another output than without graphtap: $(diff plain out)"
  expect_json "$run" info "$bytes for p in $points]" \
    "[('capture:0:begin', 2048, 196608), ('capture:0:end', 67584, 196608), ('instantiate:x0', 67584, 196608), \
('replay:x0@1', 67584, 196608), ('capture:1:begin', 67584, 196608), ('capture:1:end', 2048, 196608), \
('instantiate:x1', 2048, 196608), ('replay:x1@1', 2048, 196608), ('oom:0', 2048, 196608), ('exit', 0, 196608)]"
  expect_json "$run" info "[(p['call'], p['bytes']) for p in $points if p['kind'] == 'oom']" \
    "[(\"the framework's allocator\", 131072)]"
  expect_json "$run" info "sum(c['different'] + c['lost_events'] for c in \
r['processes'][0]['allocator']['checked'])" 0
done

# States of captures are needed for operands: they are taken if no point is wanted too.
GRAPHTAP_POINTS=none record none torch_blocks
expect_json none info "[r['processes'][0]['allocator']['states'], $points]" "[5, []]"
