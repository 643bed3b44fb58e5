#!/usr/bin/env bash
# Each wanted moment is a point, in order, by its label; devices are looked at, and only those in use;
# capture and results are as without graphtap; two runs have the same points.
source "$(dirname "$0")/common.bash"

export HOSTCUDA_DEVICES=3
last=2
on_stand_in || last=0 # a machine has one GPU
moments=(mark:a mark:a "mark:a#2" push:step push:step pop pop start:x mark:other end host:h thread:t
  capture replay:5 device:$last oom oom_async oom_create exit:3)
all='nvtx:[!o]*;capture;instantiate;replay:1,every:2;oom;signal;exit'
with_cuda expect_status 3 "$graphtap" run -o run --points "$all" -- "$build/jobs/moments" "${moments[@]}"
labels='[p["label"] for p in r["processes"][0]["points"]]'
expect_json run info "' '.join($labels)" "nvtx:a nvtx:a#2 nvtx:a#2#1 nvtx:step:begin nvtx:step#2:begin \
nvtx:step#2:end nvtx:step:end nvtx:x:begin nvtx:x:end nvtx:h nvtx:t capture:0:begin capture:0:end \
instantiate:x0 replay:x0@1 replay:x0@2 replay:x0@4 oom:0 oom:1 oom:2 exit"
expect_json run info "r['damage']['files'][0]['losses']" "[]"

# Device 1 is never used; 2 only at the end. A thread of the driver and one without a context ask nothing.
devices='[(p["label"], [d["device"] for d in p["devices"]]) for p in r["processes"][0]["points"]]'
expect_json run info "[l for l, d in $devices if d == []]" "['nvtx:h', 'nvtx:t']"
if on_stand_in; then
  expect_json run info "[l for l, d in $devices if d == [0, 2]]" "['oom:0', 'oom:1', 'oom:2', 'exit']"
  expect_json run info "{d['total_bytes'] - d['free_bytes'] for p in r['processes'][0]['points'] for d in \
p['devices'] if p['label'].startswith('oom')}" "{4096}"
else
  expect_json run info "{tuple(d) for l, d in $devices if d}" "{(0,)}"
fi
expect_json run info "[(p['call'], p['bytes']) for p in r['processes'][0]['points'] if p['kind'] == 'oom']" \
  "[('cuMemAlloc', 1125899906842624), ('cuMemAllocAsync', 1125899906842624), ('cuMemCreate', 1125899906842624)]"
times='[p["time_ns"] for p in r["processes"][0]["points"]]'
expect_json run info "$times == sorted($times)" True

with_cuda expect_status 3 "$graphtap" run -o again --points "$all" -- "$build/jobs/moments" "${moments[@]}"
diff <("$graphtap" dump run --stable) <("$graphtap" dump again --stable) || fail "another time there are others"
[[ $("$graphtap" dump run --stable | grep -c 'label:') == 21 ]] || fail "the stable text has no labels"

# By default those that cost nothing; with none, none. Ways to leave have their last point.
for way in exit:3 _exit:3 quick_exit:3; do
  with_cuda expect_status 3 "$graphtap" run -o "$way" -- "$build/jobs/moments" mark:a capture replay:1 oom "$way"
  expect_json "$way" info "$labels" "['capture:0:begin', 'capture:0:end', 'oom:0', 'exit']"
  expect_json "$way" info "[len(p['devices']) for p in r['processes'][0]['points']]" "[1, 1, 1, 1]"
done
with_cuda expect_status 0 "$graphtap" run -o none --points none -- "$build/jobs/moments" capture oom
expect_json none info "[r['processes'][0]['points_wanted'], $labels]" "['none', []]"
