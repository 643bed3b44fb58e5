"""Probes: jobs give the same output with values observed, and the values are right."""
import json
import time

import check_values  # of tests/values
import counts
import jobs
from page import words

ALL = "all=hash"
EACH = "every:1"


class Values:
    """Rows of jobs that know what must have been observed."""

    def __init__(self, page, arguments):
        self.page, self.build, self.out = page, arguments.build, arguments.out

    def row(self, name, command, specification, may_lose, share, **environment):
        """`share`: of the facts of the job, how many must be observed."""
        run, truth = self.out / f"values_{name}", self.out / f"values_{name}.truth"
        command = [self.build / "jobs" / command[0], *command[1:], "--truth", truth]
        plain = jobs.plain(command)
        start = time.perf_counter()
        same = jobs.probed(self.build, run, command, specification, EACH, **environment) == plain
        took = time.perf_counter() - start
        facts = sum('"operand"' in line for line in truth.read_text().splitlines())
        summary, faults = check_values.check(self.build / "bin/graphtap", run, truth, int(facts * share), may_lose)
        for fault in faults[:3]:
            print(f"{name}: {fault}", flush=True)
        self.page.row(
            [name, "equal" if same else "DIFFERENT", facts, summary["observations"], f"{summary['complete']} of {summary['due']}",
             words(summary["lost"]), len(faults), f"{took:.1f} s"], same and not faults)


def run_values(page, arguments):
    page.section(
        "Values against what the job knows",
        "Each observation is compared with the value that the job works out, or copies by hand: hash and first 16 bytes. Facts: "
        "values that the job tells. Complete: replays of which all is there.",
        ["job", "output", "facts", "observed", "complete", "losses", "faults", "time", "holds"],
    )
    values = Values(page, arguments)
    both = "all=hash+copy:16"
    for listed, environment in (("--list", {}), ("--list-in-place", {"GRAPHTAP_INPLACE": "1"})):
        for line in jobs.plain([arguments.build / "jobs/mirror", listed]).splitlines():
            case, *may_lose = line.split()
            for streams in (1, 3):
                # With several streams the first that follows an unobserved one may be lost.
                allowed = may_lose + ["stream_changed"] * (streams > 1)
                share = 0 if may_lose else 0.8 if streams > 1 else 1
                command = ["mirror", "--case", case, "--streams", streams]
                values.row(f"mirror_{case}_{streams}", command, both, allowed, share, **environment)
    values.row("mirror_each_launch_1000", ["mirror", "--case", "each_launch", "--replays", 1000], both, [], 1)
    values.row("mirror_executables_1000", ["mirror", "--case", "executables", "--streams", 4, "--replays", 1000], both,
               ["stream_changed"], 0.8)
    values.row("chain_copies", ["chain_copies"], "node:graph#0/*=hash", [], 1)
    values.row("chain_copies_4K", ["chain_copies", "--bytes", 4092], "node:graph#0/*=hash", [], 1)
    for way in ("return", "exit"):
        values.row(f"endings_{way}", ["endings", way, "--replays", 200], both, [], 1)
    for way in ("endless", "endless_exit"):
        values.row(f"endings_{way}", ["endings", way, "--replays", 20], both, ["undrained"], 1)


def run_many_graphs(page, arguments):
    page.section(
        "Many graphs",
        "Instantiated, launched twice, each observed, destroyed. Peak resident memory of the job; device memory beyond that before "
        "the first graph.",
        ["graphs", "alive", "probes", "resident", "device, peak", "device, end", "sampled", "losses", "holds"],
    )
    program = arguments.build / "jobs/many_graphs"
    for graphs, alive in ((10000, 1), (10000, 100)):
        command = [program, "--graphs", graphs, "--alive", alive]
        base = json.loads(jobs.plain(command))
        run = arguments.out / f"many_graphs_{alive}"
        tapped = json.loads(jobs.probed(arguments.build, run, command, ALL, EACH))
        seen = counts.counts(arguments.build / "bin/graphtap", run)
        holds = seen["sampled"] + seen["lost_replays"] == 2 * graphs and seen["observations"] == 3 * seen["sampled"]
        for used, what, row_holds in ((base, None, True), (tapped, seen, holds)):
            sampled, losses = (what["sampled"], words(what["losses"])) if what else ("-", "-")
            page.row([graphs, alive, "yes" if what else "no", f"{used['peak_rss_kib'] // 1024} MiB",
                      f"{used['device_bytes_peak'] / 2**20:.1f} MiB", f"{used['device_bytes_end'] / 2**20:.1f} MiB", sampled,
                      losses], row_holds)


def run_drain(page, arguments, rounds=(10, 100)):
    """Every replay sampled, with room for about eight slots; observed and lost must be all there were."""
    page.section(
        "Drain",
        "The outputs of five kernels, 2 MiB each, hashed in each replay; a slot is 126 KiB, GRAPHTAP_DEVICE_MB=1. Resident memory "
        "must not grow with the replays.",
        ["replays", "sampled", "losses", "observations", "resident", "time", "holds"],
    )
    resident = []
    for thousands in rounds:
        run = arguments.out / f"drain_{thousands}"
        command = [arguments.build / "jobs/bench_steps", "--kernels", 5, "--bytes", 2 << 20, "--warm", 1000, "--rounds",
                   thousands - 1, "--replays", 1000]
        launcher = [arguments.build / "bin/graphtap", "run", "-o", run, "--overwrite", "--log", "quiet", "-p",
                    "kernel:scale_add.arg1=hash", "--replays", EACH, "--device-mb", 1, "--"]
        start = time.perf_counter()
        _, rss = jobs.peak_rss_kib(launcher + command)
        took = time.perf_counter() - start
        resident.append(rss)
        seen = counts.counts(arguments.build / "bin/graphtap", run)
        due = 1000 * thousands
        holds = seen["sampled"] + seen["lost_replays"] == due and seen["observations"] == 5 * seen["sampled"]
        holds = holds and sum(seen["losses"].values()) == seen["lost_replays"] and rss - resident[0] < 64 * 1024
        page.row([due, seen["sampled"], words(seen["losses"]), seen["observations"], f"{rss // 1024} MiB", f"{took:.1f} s"],
                 holds)


def run_a_day(page, arguments):
    page.section(
        "A day in ten minutes",
        "500 executables, one after the other: captured, instantiated, 1,000 launches, updated to a new capture, 1,000 launches, "
        "destroyed. Replays 1, 2 and every 100th observed. Resident and device memory after each tenth, MiB.",
        ["probes", "replays", "captures", "resident", "device", "sampled", "losses", "time", "holds"],
    )
    command = [arguments.build / "jobs/many_graphs", "--graphs", 500, "--updates", 1, "--replays", 1000]
    for specification in ("", "all=digest"):
        run = arguments.out / "a_day"
        start = time.perf_counter()
        used = json.loads(jobs.probed(arguments.build, run, command, specification, "1,2,every:100")
                          if specification else jobs.plain(command))
        took = time.perf_counter() - start
        resident, device = ([taken[k] for taken in used["taken"]] for k in (0, 1))
        flat = resident[-1] - resident[0] < 16 * 1024 and device[-1] - device[0] <= 0
        seen = counts.counts(arguments.build / "bin/graphtap", run) if specification else {"sampled": "-", "losses": {}}
        page.row([specification or "no", 1_000_000, 1000, " ".join(f"{kib / 1024:.0f}" for kib in resident),
                  " ".join(f"{taken / 2**20:.1f}" for taken in device), seen["sampled"], words(seen["losses"]),
                  f"{took:.0f} s"], flat)


def run_sanitizer(page, arguments):
    page.section("Probe kernels under compute-sanitizer", "`probe_kernels --check-only` with a sample of the cases.", ["tool", "result", "holds"])
    program = arguments.build / "gpu/probe_kernels"
    for tool in ("memcheck", "racecheck"):
        command = ["compute-sanitizer", "--tool", tool, "--error-exitcode", "9", program, "--check-only",
                   "--most-bytes", 70000, "--most-cases", 64]
        try:
            jobs.plain(command)
            page.row([tool, "no error"])
        except RuntimeError as error:
            page.row([tool, str(error)[-200:].replace("\n", " ")], False)
        except FileNotFoundError:
            page.row([tool, "compute-sanitizer is not installed"], None)
