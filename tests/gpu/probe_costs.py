"""What probes cost a replay: unsampled and sampled, base before and after each."""
import json
import statistics

import costs
import counts  # of tests/values
import jobs

ROUNDS = 9
REPLAYS = 100
WARM = 50
STEADY = 0.02  # bases may differ by this share of their median, or the row is measured again
ATTEMPTS = 3
NEVER = "1000000000"


def odd_rounds():
    """The replays of every second round of bench_steps, from the second."""
    starts = [WARM + k * REPLAYS for k in range(1, ROUNDS, 2)]
    return ",".join(f"{start + 1}-{start + REPLAYS}" for start in starts)


def spread(values):
    return (max(values) - min(values)) / statistics.median(values)


def bench(bytes_each):
    return ["--bytes", bytes_each, "--rounds", ROUNDS, "--replays", REPLAYS, "--warm", WARM]


def steady(measure):
    """(bases, probed, whether the bases agree) of up to ATTEMPTS measurements."""
    for _ in range(ATTEMPTS):
        bases, probed = measure()
        if spread(bases) <= STEADY:
            return bases, probed, True
    return bases, probed, False


def row(page, name, what, bases, probed, agree, sites, bar):
    """`bar`: (kind, limit): ratio to the base, or added us a site."""
    base, middle = statistics.median(bases), statistics.median(probed)
    added = (middle - base) / sites if sites else None
    seen = middle / base if bar[0] == "ratio" else added
    verdict = (True if seen <= bar[1] else None) if agree else None
    limit = f"≤ {bar[1]:.3f}" if bar[0] == "ratio" else f"≤ {bar[1]} us a site"
    note = "" if agree else f", REFUSED: bases differ by {spread(bases):.1%}"
    page.row([name, what, f"{bases[0]:.2f}, {bases[-1]:.2f}", f"{middle:.2f}", f"{middle / base:.4f}",
              "-" if added is None else f"{added:.3f}", limit + note], verdict)


class Steps:
    """Rows of bench_steps: time of a replay and of the launch call, in one process."""

    def __init__(self, page, arguments):
        self.page, self.build, self.out = page, arguments.build, arguments.out
        self.program = arguments.build / "jobs/bench_steps"

    def between_processes(self, name, tapped, bar):
        """Plain and `tapped` processes, alternating; the median over the rounds of each."""
        command = [self.program, *bench(65536)]

        def median(output):
            return statistics.median(json.loads(output)["replay_us"])

        def measure():
            return costs.alternate(lambda: median(jobs.plain(command)), lambda: median(tapped(command)))

        bases, probed, agree = steady(measure)
        row(self.page, name, "replay", bases, probed, agree, None, ("ratio", bar))

    def inside(self, name, bytes_each, specification, operands, bar):
        """Every second round sampled."""
        run = self.out / f"cost_{name}"
        results = {}

        def measure():
            command = [self.program, *bench(bytes_each)]
            output = json.loads(jobs.probed(self.build, run, command, specification, odd_rounds()))
            results.update(output)
            return output["replay_us"][0::2], output["replay_us"][1::2]

        bases, probed, agree = steady(measure)
        sites = operands * results["kernels"]
        row(self.page, name, "replay", bases, probed, agree, sites, ("added", bar))
        launch = results["launch_us"]
        added = statistics.median(launch[1::2]) - statistics.median(launch[0::2])
        self.page.row([name, "launch call", f"{launch[0]:.2f}, {launch[-1]:.2f}", f"{statistics.median(launch[1::2]):.2f}",
                       "-", f"+{added:.2f} a launch", "≤ +4 us"], True if added <= 4 else None)
        seen = counts.counts(self.build / "bin/graphtap", run)
        due = REPLAYS * (ROUNDS // 2)
        whole = seen["sampled"] == due and seen["observations"] == due * sites
        self.page.row([name, "observations", seen["observations"], due * sites, "-", "-",
                       "all" if whole else f"losses: {seen['losses']}"], whole)


def job_row(page, arguments, name, command, specification, rounds, bar):
    """A job that prints its own replay time: plain and probed processes, alternating."""
    run = arguments.out / f"cost_{name}"
    bases, probed, agree = steady(lambda: costs.alternate(
        lambda: costs.replay_time(jobs.plain(command)),
        lambda: costs.replay_time(jobs.probed(arguments.build, run, command, specification, "every:1")), rounds))
    row(page, name, specification, bases, probed, agree, None, ("ratio", bar))


def run(page, arguments, chain):
    page.section(
        "Cost of probes",
        "Times in us (gpt_step: ms), medians. Base: first and last of those before and after each probed value. bench_steps: a "
        "chain of 200 kernels; where every second round is sampled, both are of one process.",
        ["row", "what", "bases", "probed", "ratio", "added a site", "bar", "holds"],
    )
    steps = Steps(page, arguments)
    folder = arguments.out
    steps.between_processes("preloaded", lambda command: jobs.recorded(arguments.build, folder / "cost_pre", command), 1.005)
    steps.between_processes(
        "planned, never due",
        lambda command: jobs.probed(arguments.build, folder / "cost_planned", command, "all=hash", NEVER), 1.005)
    for size, label in ((4096, "4K"), (65536, "64K"), (1 << 20, "1M")):
        steps.inside(f"hash_outputs_{label}", size, "kernel:scale_add.arg1=hash", 1, 2.2 if size <= 65536 else 4)
    steps.inside("digest_outputs_64K", 65536, "kernel:scale_add.arg1=digest", 1, 2.2)
    steps.inside("hash_all_64K", 65536, "all=hash", 2, 2.2)
    steps.inside("copy64_all_64K", 65536, "all=copy:64", 2, 2.2)
    if not arguments.jobs:
        return
    for specification in ("all=hash", "all=copy:64"):
        label = specification.partition("=")[2].replace(":", "")
        job_row(page, arguments, f"chain_{label}", [chain["shared"], "200", "65536", "8", "100", "15"], specification, 3, 4)
        # The bars: what copies of 64 bytes to the host after each kernel cost these jobs.
        step = ["python3", arguments.jobs / "gpt_step.py", "10", "3"]
        job_row(page, arguments, f"gpt_step_{label}", step, specification, 1, 1.86)
        job_row(page, arguments, f"gpt_step_loop_{label}", step + ["--loop"], specification, 1, 3.75)
