#!/usr/bin/env bash
# Signals sent to `graphtap run` reach the job, which decides what becomes of them.
source "$(dirname "$0")/common.bash"

# The job says when it is ready, then what it got; both through a pipe, so that nobody waits blindly.
mkfifo events
cat >job.py <<'PYTHON'
import signal, sys
names = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGWINCH", "SIGCONT", "SIGTSTP"]
signal.pthread_sigmask(signal.SIG_BLOCK, [getattr(signal, name) for name in names])
with open("events", "w", buffering=1) as events:
    print("ready", file=events)
    for _ in names:
        print(signal.Signals(signal.sigwait({getattr(signal, n) for n in names})).name, file=events)
sys.exit(9)
PYTHON
"$graphtap" run -o run -- python3 job.py &
launcher=$!
exec 3<events
next() { read -r -t 60 -u 3 event || fail "no event from the job"; }
next
expect_equal "$event" ready "first event"
for name in INT TERM HUP QUIT USR1 USR2 WINCH CONT TSTP; do
  kill -s "$name" "$launcher"
  next
  expect_equal "$event" "SIG$name" "event"
done
status=0
wait "$launcher" || status=$?
expect_equal "$status" 9 "exit code"
