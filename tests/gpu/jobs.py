"""Running jobs plain and under graphtap."""
import json
import os
import shutil
import subprocess

LIMIT_S = 300


def plain(command, **environment):
    """Standard output of a job that must succeed."""
    result = subprocess.run(
        [str(word) for word in command], capture_output=True, text=True, timeout=LIMIT_S, env={**os.environ, **environment}
    )
    if result.returncode != 0:
        raise RuntimeError(f"{command}: status {result.returncode}: {result.stderr[-500:]}")
    return result.stdout


def recorded(build, run, command, **environment):
    """The same under `graphtap run`, recorded in the folder `run`."""
    shutil.rmtree(run, ignore_errors=True)
    return plain([build / "bin/graphtap", "run", "-o", run, "--log", "quiet", "--", *command], **environment)


def probed(build, run, command, specification, replays, **environment):
    """The same with probes: `specification` in the replays `replays`."""
    shutil.rmtree(run, ignore_errors=True)
    launcher = [build / "bin/graphtap", "run", "-o", run, "--log", "quiet", "-p", specification, "--replays", replays]
    return plain([*launcher, "--", *command], **environment)


def peak_rss_kib(command, **environment):
    """(standard output, peak resident memory of the largest process) of a job that must succeed."""
    process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, text=True,
                               env={**os.environ, **environment})
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{command}: status {process.returncode}")
    return output, usage.ru_maxrss


def report(build, command, run, *options):
    return json.loads(plain([build / "bin/graphtap", command, run, "--json", *options]))


def stable(build, run):
    return plain([build / "bin/graphtap", "dump", run, "--stable"])
