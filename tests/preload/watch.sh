#!/usr/bin/env bash
# A run is followed from before its beginning to its end: lines while it goes on, then the numbers of
# `graphtap info`. Ctrl-C ends the watch earlier.
source "$(dirname "$0")/common.bash"

number() { grep -o "\"$2\":[0-9]*" <<<"$1" | head -1 | cut -d: -f2; } # LINE NAME
export HOSTCUDA_TWINS
HOSTCUDA_TWINS=$(twins_of train_loop)
mkfifo lines waiting
timeout 120 "$graphtap" watch run1 --interval 0.05 --json >lines 2>waiting &
watch=$!
exec 3<lines 4<waiting
read -r line <&4
expect_equal "$line" "graphtap: waiting for run1" "the first line"
LD_LIBRARY_PATH=$cuda "$graphtap" run -o run1 --log quiet -p 'all=hash' --replays every:10 -- \
  "$build/jobs/train_loop" --replays 100000000 >/dev/null &
launcher=$!
lines=0
while read -r line <&3; do
  lines=$((lines + 1))
  # Once it was seen to go on, the job is ended; what follows is its end.
  if ((lines < 1000)) && (($(number "$line" replays) > 100 && $(number "$line" observations) > 10)); then
    lines=1000
    kill -TERM $launcher
  fi
  last=$line
done
((lines >= 1000)) || fail "no replay was seen while the job went on: $last"
wait $watch || fail "the watch ended with $?"
wait $launcher || expect_equal $? 143 "the status of the job"

expect_json run1 info 'r["processes"][0]["ended"], r["launch"]["signal"]' "('signal', 15)"
info=$("$graphtap" info run1 --json 2>/dev/null | python3 -c 'import json, sys
x = json.load(sys.stdin)["processes"][0]
print(sum(e["replays"] for e in x["executables"]), x["ended"], x["signal"])')
seen=$(python3 -c 'import json, sys
x = json.loads(sys.argv[1])["processes"][0]
print(x["replays"], x["ended"], x["signal"])' "$last")
expect_equal "$seen" "$info" "the summary"

# What the first one said besides is not for the second.
exec 4<&-
mkfifo second
timeout 60 "$graphtap" watch nothing 2>second &
watch=$!
read -r line <second
expect_equal "$line" "graphtap: waiting for nothing" "the first line of the second"
kill -INT $(pgrep -P $watch)
wait $watch || status=$?
expect_equal "$status" 130 "the status after Ctrl-C"
