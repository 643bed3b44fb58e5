"""Points at which a job is in trouble: memory has run out, a kernel does not end."""
import os
import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import jobs

SCRIPTS = Path(__file__).resolve().parent / "jobs"
FRAMEWORK = "the framework's allocator"  # what a point says that failed
SOON_S = 5


def points_of(arguments, run):
    processes = jobs.report(arguments.build, "info", run)["processes"]
    return processes[0]["points"] if processes else []


def out_of_memory_row(page, arguments, name, **environment):
    command = ["python3", SCRIPTS / "torch_out_of_memory.py"]
    run = arguments.out / f"oom_{name}"
    plain = jobs.plain(command, **environment)
    same = jobs.recorded(arguments.build, run, command, **environment) == plain
    held = tuple(int(word) for word in re.findall(r"(?:allocated|reserved) (\d+)", plain))
    seen = [(device["allocator"]["allocated_bytes"], device["allocator"]["reserved_bytes"])
            for point in points_of(arguments, run) if point["call"] == FRAMEWORK for device in point["devices"]]
    page.row([name, "equal" if same else "DIFFERENT", held, seen], same and seen == [held])


def run_out_of_memory(page, arguments):
    page.section(
        "Out of memory",
        "PyTorch is asked for more memory than there is. Bytes allocated and reserved, as PyTorch says afterwards and as the "
        "recorded point has them.",
        ["allocator", "output", "PyTorch", "point", "holds"],
    )
    out_of_memory_row(page, arguments, "native")
    out_of_memory_row(page, arguments, "expandable", PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")


def point_in_file(arguments, run, process):
    """Seconds until a reader of the run sees the point of the signal; None: not before the job has ended."""
    begin = time.perf_counter()
    while process.poll() is None:
        if any(point["kind"] == "signal" and point["devices"] for point in points_of(arguments, run)):
            return time.perf_counter() - begin
    return None


def run_signal(page, arguments):
    page.section(
        "SIGUSR2 while a kernel runs",
        "A replay holds a kernel of 15 s. Seconds from the signal until `graphtap info` shows the point with the GPU's memory, and "
        "until the job ends.",
        ["point", "job", "output", "holds"],
    )
    command, run = ["python3", SCRIPTS / "torch_long_kernel.py"], arguments.out / "signal"
    shutil.rmtree(run, ignore_errors=True)
    launcher = [arguments.build / "bin/graphtap", "run", "-o", run, "--log", "quiet", "--"]
    with subprocess.Popen([str(word) for word in launcher + command], stdout=subprocess.PIPE, text=True) as process:
        os.kill(int(process.stdout.readline().split()[1]), signal.SIGUSR2)
        begin = time.perf_counter()
        seen = point_in_file(arguments, run, process)
        output = process.communicate(timeout=jobs.LIMIT_S)[0].strip()
        whole = time.perf_counter() - begin
    shown = "not before the end" if seen is None else f"{seen:.1f}"
    page.row([shown, f"{whole:.1f}", output], seen is not None and seen < SOON_S and output == "sum 8.0")


def run(page, arguments):
    run_out_of_memory(page, arguments)
    run_signal(page, arguments)
