#!/usr/bin/env bash
# On a terminal: ^C reaches the job once; ^Z stops job and launcher, so that the shell gets its prompt.
source "$(dirname "$0")/common.bash"

cat >job.py <<'PYTHON'
import signal
signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT, signal.SIGUSR1])
print("ready", flush=True)
waited = {signal.SIGINT, signal.SIGUSR1}
while (got := signal.sigwait(waited)) == signal.SIGINT:
    print("interrupted", flush=True)
print("done", flush=True)
PYTHON
cat >terminal.py <<'PYTHON'
import os, pty, signal, sys
shell, terminal = pty.fork()
if shell == 0:  # what a shell does for a job in the foreground
    signal.signal(signal.SIGTTOU, signal.SIG_IGN)
    job = os.fork()
    if job == 0:
        os.setpgid(0, 0)
        os.tcsetpgrp(0, os.getpid())
        signal.signal(signal.SIGTTOU, signal.SIG_DFL)
        os.execv(sys.argv[1], sys.argv[1:])
    if os.WIFSTOPPED(os.waitpid(job, os.WUNTRACED)[1]):
        print("stopped", flush=True)
        os.killpg(job, signal.SIGCONT)
        os.kill(job, signal.SIGUSR1)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(job, 0)[1]))
signal.alarm(60)
text = b""
for word, key in [(b"ready", b"\x03"), (b"interrupted", b"\x1a"), (b"stopped", b""), (b"done", b"")]:
    while word not in text:
        text += os.read(terminal, 1024)
    before, text = text.split(word, 1)
    assert b"interrupted" not in before, "^C arrived twice"
    os.write(terminal, key)
assert os.waitstatus_to_exitcode(os.waitpid(shell, 0)[1]) == 0
PYTHON
python3 terminal.py "$graphtap" run -o run --log quiet -- python3 job.py
