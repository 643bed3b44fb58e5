"""The end-to-end tests, made for the stand-in, on the card."""
import concurrent.futures
import os
import subprocess
import time
from pathlib import Path

import machine

TESTS = Path(__file__).resolve().parent.parent
WORKERS = 8
LIMIT_S = 200
# These measure the device's memory, in sections of their own.
ELSEWHERE = ("probe-a-day", "probe-many-graphs")


def run(page, arguments):
    page.section(
        "End-to-end tests on the card",
        "Scripts of tests/preload and tests/parity, which CI runs on the stand-in. Those left out have sections of their own,"
        " or need what no real driver does.",
        ["test", "time", "holds"],
    )
    environment = {**os.environ, "CUDA_LIBRARIES": machine.library_path()}

    def end(script):
        start = time.perf_counter()
        try:
            done = subprocess.run([script, arguments.build], capture_output=True, text=True, env=environment, timeout=LIMIT_S)
            status, output = done.returncode, f"{done.stdout[-800:]}\n{done.stderr[-1500:]}"
        except subprocess.TimeoutExpired:
            status, output = "time limit", ""
        if status != 0:
            print(f"{script.stem}: {status}: {output}", flush=True)
        return status, time.perf_counter() - start

    scripts = sorted(script for folder in ("preload", "parity") for script in (TESTS / folder).glob("*.sh"))
    chosen = [script for script in scripts
              if "\nneeds_stand_in\n" not in script.read_text() and script.stem not in ELSEWHERE]
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        for script, (status, took) in zip(chosen, pool.map(end, chosen)):
            page.row([f"{script.parent.name}/{script.stem}", f"{took:.0f} s"], status == 0)
    page.note(f"Left out: {', '.join(script.stem for script in scripts if script not in chosen)}.")
