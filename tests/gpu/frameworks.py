"""What people run: each framework's graphs give the same output with every replay observed, and the same records twice."""
import collections
import concurrent.futures
import difflib
import functools
import itertools
import subprocess
from pathlib import Path

import identity
import jobs
import machine
from page import words

ALL, EACH = "all=digest", "every:1"
WORKERS = 6
SCRIPTS = Path(__file__).resolve().parent / "jobs"


def seen_by(build, run):
    """What all processes of a run saw together."""
    report = jobs.report(build, "info", run)
    processes = [process for process in report["processes"] if process["executables"]]
    executables = [executable for process in processes for executable in process["executables"]]
    shadows = [shadow for process in processes for shadow in process["probes"]["shadows"]]
    refused, losses = collections.Counter(), collections.Counter()
    for group in (group for process in processes for group in process["probes"]["refused"]):
        refused[group["reason"]] += group["count"]
    for loss in (loss for file in report["damage"]["files"] for loss in file["losses"]):
        losses[loss["cause"]] += loss["count"]
    sampled = sum(due["sampled"] for executable in executables for due in executable["due"])
    observations = sum(executable["observations"] for executable in executables)
    return {
        "processes": len(processes),
        "shadows": sum(shadow["skip"] is None for shadow in shadows),
        "skips": collections.Counter(shadow["skip"] for shadow in shadows if shadow["skip"] is not None),
        "sampled": sampled,
        "each": observations / sampled if sampled else 0,
        "refused": refused,
        "losses": losses,
    }


class Table:
    """Rows that are made beside each other: what they show are no figures."""

    def __init__(self, page, arguments):
        self.page, self.build, self.out = page, arguments.build, arguments.out
        self.pool, self.rows = concurrent.futures.ThreadPoolExecutor(WORKERS), []

    def row(self, name, command, runs=1, same_records=True, may_lose=(), observed=True, alone=False, warm=False):
        """`runs`: a job that differs by itself has several outputs, and each must be one that it has without graphtap.
        `same_records`: whether two runs of the job do the same. `may_lose`: losses that the job explains. `observed`: whether
        its graphs can be. `alone`: after all others, since what else the GPU does may change its output. `warm`: a run before
        that is not looked at, for a job that picks kernels by timing when it finds nothing in a cache."""
        make = functools.partial(self.make, name, command, runs, same_records, may_lose, observed, warm)
        self.rows.append((name, make if alone else self.pool.submit(make).result))

    def make(self, name, command, runs, same_records, may_lose, observed, warm):
        if warm:
            jobs.plain(command)
        plain = [identity.TIMES.sub("", jobs.plain(command)) for _ in range(runs)]
        folders = [self.out / f"framework_{name}_{i}" for i in range(max(runs, 2))]
        tapped = [identity.TIMES.sub("", jobs.probed(self.build, run, command, ALL, EACH)) for run in folders]
        stable = self.compare_records(*folders[:2]) if same_records else "-"
        seen = seen_by(self.build, folders[0])
        same = set(tapped) <= set(plain)
        outputs = "equal" if len({*plain, *tapped}) == 1 else f"{identity.tally(plain)} plain, {identity.tally(tapped)} observed"
        holds = same and stable != "DIFFERENT" and (seen["each"] > 0) == observed and set(seen["losses"]) <= set(may_lose)
        return [outputs if same else f"DIFFERENT, {outputs}", seen["processes"], seen["shadows"], words(seen["skips"]),
                seen["sampled"], f"{seen['each']:.1f}", words(seen["refused"]), words(seen["losses"]), stable], holds

    def compare_records(self, *folders):
        texts = [jobs.stable(self.build, folder) for folder in folders]
        difference = difflib.unified_diff(*(text.splitlines() for text in texts), *map(str, folders), n=12, lineterm="")
        shown = list(itertools.islice(difference, 60)) if texts[0] != texts[1] else []
        print(*shown, sep="\n", end="\n" * bool(shown), flush=True)
        return "DIFFERENT" if shown else "equal"

    def finish(self):
        self.pool.shutdown()
        for name, made in self.rows:
            try:
                cells, holds = made()
            except (RuntimeError, subprocess.TimeoutExpired) as error:
                cells, holds = [f"FAILED: {str(error)[-600:]}".replace("\n", " "), *[""] * 8], False
            self.page.row([name, *cells], holds)


def section(page, title):
    page.section(
        title,
        f"`-p '{ALL}' --replays {EACH}`; output compared with a run without graphtap, times left out. Observations: of one sampled "
        "replay. Skips and refusals: why a graph or a site is not observed (docs/messages.md). Records: `dump "
        "--stable` of two runs.",
        ["job", "output", "processes", "shadows", "skips", "sampled", "observations", "refusals", "losses", "records", "holds"],
    )


def per_thread(arguments, runtime):
    """The training loop with a default stream a thread."""
    root = Path(__file__).resolve().parents[2]
    program = arguments.out / f"train_loop_per_thread_{runtime}"
    command = ["nvcc", "-std=c++20", "-O2", "-arch=native", "--default-stream", "per-thread", "-cudart", runtime, f"-I{root}", "-o",
               program, root / "tests/jobs/train_loop.cu"]
    subprocess.run([str(word) for word in command], check=True)
    return program


def run(page, arguments, chain):
    section(page, "Frameworks")
    table, built = Table(page, arguments), arguments.build / "jobs"
    for script in ("torch_graph_ranges", "torch_compile", "torch_rerecord", "torch_graphed_callables", "torch_serving",
                   "torch_libraries", "triton_kernel", "jax_command_buffer", "cupy_graph"):
        table.row(script, ["python3", SCRIPTS / f"{script}.py"], warm=script in ("torch_compile", "torch_rerecord"))
    table.row("train_loop", [built / "train_loop", "--replays", "100"])
    table.row("train_loop_update", [built / "train_loop", "--replays", "100", "--update", "7"])
    for runtime in ("shared", "static"):
        table.row(f"train_loop_per_thread_{runtime}", [per_thread(arguments, runtime), "--replays", "100"])
    table.row("driver_api", [built / "driver_api"])
    table.row("loads_libcuda", [built / "loads_libcuda"])
    for job, kind in identity.kinds(built):
        table.row(f"{job}_{kind}", [built / job, kind], observed=kind not in ("device_launch", "device_updatable"))
    for runtime, program in chain.items():
        table.row(f"chain_{runtime}", [program, "200", "65536", "8", "20", "5"])
    if arguments.jobs:
        step = ["python3", arguments.jobs / "gpt_step.py", "1", "1"]
        table.row("gpt_step", step, runs=3, alone=True)
        table.row("gpt_step_loop", step + ["--loop"], runs=3, same_records=False, alone=True)
    else:
        page.note("chain.cu and gpt_step.py were not given.")
    table.finish()


def run_two_gpus(page, arguments):
    section(page, "Two GPUs")
    if len(machine.output("nvidia-smi", "--list-gpus").splitlines()) < 2:
        page.note("Not run: this machine has one GPU.")
        return
    table = Table(page, arguments)
    table.row("torch_two_gpus", ["python3", SCRIPTS / "torch_two_gpus.py"])
    table.row("nccl_ranks", ["python3", SCRIPTS / "nccl_ranks.py"])
    table.row("graph_kinds_copy_peer", [arguments.build / "jobs/graph_kinds", "copy_peer"])
    table.finish()
