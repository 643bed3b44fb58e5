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
    command = [arguments.build / "jobs/launch_cost", "4000"]
    run = arguments.out / "cost_launch"

    def measure(job):
        output = job()
        return [float(x) for x in re.findall(r"[\d.]+", output)]

    base, tapped = alternate(
        lambda: measure(lambda: jobs.plain(command)),
        lambda: measure(lambda: jobs.recorded(arguments.build, run, command)),
        2 * ROUNDS,
    )
    for index, (call, bar) in enumerate((("cuGraphLaunch", 100), ("cuLaunchKernel", 30))):
        plain = [row[index] for row in base]
        added = statistics.median(row[index] for row in tapped) - statistics.median(plain)
        page.row(
            [call, f"{statistics.median(plain):.0f} ns", f"{added:+.0f} ns",
             f"{min(plain):.0f} to {max(plain):.0f} ns", f"≤ {bar} ns"],
            True if added <= bar else None,
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
        ["start-up without CUDA", f"{statistics.median(base):.2f} ms", f"{added:+.2f} ms",
         f"{min(base):.2f} to {max(base):.2f} ms", "≤ 1 ms"],
        True if added <= 1 else None,
    )


def run(page, arguments, chain):
    page.section(
        "Replay time", "Median over runs, plain and recorded alternating. Bar: the larger of 0.5 % and plain's spread.",
        ["job", "plain", "recorded", "ratio", "bar", "holds"],
    )
    for runtime, program in chain.items():
        replay_row(page, arguments, f"chain_{runtime}", [program, "200", "65536", "8", "100", "15"])
    if arguments.jobs:
        step = ["python3", arguments.jobs / "gpt_step.py", "20", "5"]
        replay_row(page, arguments, "gpt_step", step, 3)
        replay_row(page, arguments, "gpt_step_loop", step + ["--loop"], 3)
    page.section(
        "Calls and start-up", "Medians of batches over alternating processes.",
        ["what", "plain", "added", "plain from run to run", "bar", "holds"],
    )
    launch_rows(page, arguments)
    startup_row(page, arguments)
