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


def report(build, command, run, *options):
    return json.loads(plain([build / "bin/graphtap", command, run, "--json", *options]))


def stable(build, run):
    return plain([build / "bin/graphtap", "dump", run, "--stable"])
