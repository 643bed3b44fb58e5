#!/usr/bin/env bash
# Points that come too fast do not hold the job up: those that are left out are counted, other kinds are
# taken all the same, and what a text is called says which time it came.
source "$(dirname "$0")/common.bash"

with_cuda expect_status 0 "$graphtap" run -o run --points 'nvtx:*;exit' -- \
  "$build/jobs/moments" marks:100000:a mark:b
points='r["processes"][0]["points"]'
count='r["processes"][0]["points_count"]'
losses='{l["cause"]: l["count"] for l in r["damage"]["files"][0]["losses"]}'
expect_json run info "1000 <= $count < 50000" True
expect_json run info "$count + $losses['point_lost']" 100002
expect_json run info "sum(p['memory_skipped'] for p in $points)" \
  "$(python3 -c "import json; r = json.load(open('report.json')); print($losses['point_bare'])")"
expect_json run info "[(p['label'], len(p['devices'])) for p in ($points[0], $points[1], $points[-1])]" \
  "[('nvtx:a', 1), ('nvtx:a#2', 1), ('exit', 1)]"
expect_json run info "sum(1 for p in $points if p['devices']) >= 100" True
"$graphtap" memory points run >shown 2>said
grep -q '(point_lost): choose fewer moments in GRAPHTAP_POINTS' said || fail "no word of it: $(<said)"
