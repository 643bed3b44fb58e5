"""What graphtap costs: replay time, launch calls, start-up. Medians; base before and after each."""
import os
import re
import statistics
import subprocess
import time

import jobs

ROUNDS = 5


def replay_time(output):
    """The median that a job prints: 'replay us 12.3 (…)', or the middle of 'replay ms 1 2 3 …'."""
    if match := re.search(r"replay us ([\d.]+)", output):
        return float(match[1])
    times = [float(t) for t in re.search(r"replay ms ((?:[\d.]+ )+)", output)[1].split()]
    return statistics.median(times)


def alternate(plain, tapped, rounds=ROUNDS):
    """plain, tapped, plain, tapped, …, plain: both lists of values."""
    base, with_tap = [plain()], []
    for _ in range(rounds):
        with_tap.append(tapped())
        base.append(plain())
    return base, with_tap


def replay_row(page, arguments, name, command, rounds=ROUNDS):
    run = arguments.out / f"cost_{name}"
    base, tapped = alternate(
        lambda: replay_time(jobs.plain(command)),
        lambda: replay_time(jobs.recorded(arguments.build, run, command)),
        rounds,
    )
    middle = statistics.median(base)
    ratio = statistics.median(tapped) / middle
    spread = (max(base) - min(base)) / middle
    bar = max(0.005, spread)
    page.row(
        [name, f"{middle:.2f}", f"{statistics.median(tapped):.2f}", f"{ratio:.4f}", f"≤ {1 + bar:.4f}"],
        True if ratio <= 1 + bar else None,
    )


def launch_rows(page, arguments):
    """The linked call against libcuda's own address, alternating in one process; plain: the noise."""
    command = [arguments.build / "jobs/launch_cost", "4000"]
    run = arguments.out / "cost_launch"

    def added(output):
        return {call: float(linked) - float(direct)
                for call, linked, direct in re.findall(r"(\w+) ([\d.]+) direct ([\d.]+)", output)}

    base, tapped = alternate(
        lambda: added(jobs.plain(command)), lambda: added(jobs.recorded(arguments.build, run, command)), ROUNDS
    )
    for call, bar in (("cuGraphLaunch", 100), ("cuLaunchKernel", 30), ("cuMemsetD32Async", 30)):
        noise = [row[call] for row in base]
        cost = statistics.median(row[call] for row in tapped)
        page.row(
            [call, f"{statistics.median(noise):+.0f} ns ({min(noise):+.0f} to {max(noise):+.0f})", f"{cost:+.0f} ns",
             f"≤ {bar} ns"],
            True if cost <= bar else None,
        )


def startup_row(page, arguments):
    program = arguments.build / "jobs/plain"
    library = str(arguments.build / "lib/libgraphtap.so")

    def measure(**environment):
        start = time.perf_counter()
        subprocess.run([program], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, check=True)
        return (time.perf_counter() - start) * 1e3

    base, tapped = alternate(
        measure, lambda: measure(LD_PRELOAD=library, GRAPHTAP_OUT=str(arguments.out / "no_cuda")), 200
    )
    added = statistics.median(tapped) - statistics.median(base)
    page.row(
        ["start-up without CUDA", f"{statistics.median(base):.2f} ms a start", f"{added:+.2f} ms", "≤ 1 ms"],
        True if added <= 1 else None,
    )


def run_replays(page, arguments, chain):
    page.section(
        "Replay time", "Median over runs, plain and recorded alternating. Bar: the larger of 0.5 % and plain's spread.",
        ["job", "plain", "recorded", "ratio", "bar", "holds"],
    )
    for runtime, program in chain.items():
        replay_row(page, arguments, f"chain_{runtime}", [program, "200", "65536", "8", "100", "15"])
    if arguments.jobs:
        step = ["python3", arguments.jobs / "gpt_step.py", "20", "5"]
        replay_row(page, arguments, "gpt_step", step, 2)
        replay_row(page, arguments, "gpt_step_loop", step + ["--loop"], 2)


def run_calls(page, arguments):
    page.section(
        "Calls and start-up",
        "What a call costs more than the driver's own function, alternating in one process: without graphtap (noise) "
        "and under it. Start-up: alternating processes.",
        ["what", "without", "added", "bar", "holds"],
    )
    launch_rows(page, arguments)
    startup_row(page, arguments)
