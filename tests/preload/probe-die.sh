#!/usr/bin/env bash
# A process that dies ends as it does without graphtap; its file can be read, lacks the end record,
# and what it has is right.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_WAIT_MS=20000 # however slow the machine is, no slot is missing
for way in abort:134 throw:134 kill:137; do
  status=${way#*:} way=${way%:*}
  job=(endings "$way" --replays 3000 --truth truth)
  plain "${job[@]}" 2>/dev/null || true
  expect_equal "$plain_status" "$status" "$way without graphtap"
  probed "run-$way" 'all=hash+copy:16' every:1 "${job[@]}"
  expect_json "run-$way" info '[(p["ended"], p["signal"]) for p in r["processes"]]' \
    "[('signal', $((status - 128)))]"
  expect_json "run-$way" info '[(f["damaged_places"], f["missing_messages"], f["losses"]) for f in
    r["damage"]["files"]]' "[(0, 0, [])]"
  expect_values "run-$way" truth --least 0 --may-lose --torn
done
