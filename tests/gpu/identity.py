"""Jobs give the same output with and without graphtap, and the run holds what they did."""
import collections
import re
import subprocess
from pathlib import Path

import jobs

# Times are different in any two runs: they are left out of what is compared.
TIMES = re.compile(r"replay (us|ms) [\d.]+( \(min [\d.]+ max [\d.]+\))?( [\d.]+)*")


def kernels(report):
    """Kernel nodes of the largest graph that was replayed."""
    counts = [graph["kinds"].get("kernel", 0) for process in report["processes"] for graph in process["graphs"]]
    return max(counts, default=0)


def replays(report):
    return sum(x["replays"] for process in report["processes"] for x in process["executables"])


def tally(outputs):
    """How often each output was seen: '3+2'."""
    return "+".join(str(count) for _, count in collections.Counter(outputs).most_common())


class Table:
    def __init__(self, page, arguments):
        self.page, self.build, self.out = page, arguments.build, arguments.out

    def row(self, name, command, want_kernels=None, want_scope=None, twice=False, runs=1):
        """`runs` plain and recorded runs, alternating: a job that differs by itself has several outputs."""
        run = self.out / f"run_{name}"
        plain, tapped = [], []
        for _ in range(runs):
            plain.append(TIMES.sub("", jobs.plain(command)))
            tapped.append(TIMES.sub("", jobs.recorded(self.build, run, command)))
        report = jobs.report(self.build, "info", run)
        losses = [loss for file in report["damage"]["files"] for loss in file["losses"]]
        same = set(tapped) <= set(plain)
        outputs = "equal" if len(set(plain)) == 1 else f"of {runs} runs: {tally(plain)} plain, {tally(tapped)} recorded"
        holds = same and not losses and replays(report) > 0
        if want_kernels is not None:
            holds = holds and kernels(report) == want_kernels
        if want_scope is not None:
            holds = holds and f'scope: "{want_scope}"' in jobs.stable(self.build, run)
        stable = "-"
        if twice:
            again = self.out / f"run_{name}_2"
            jobs.recorded(self.build, again, command)
            stable = "equal" if jobs.stable(self.build, run) == jobs.stable(self.build, again) else "DIFFERENT"
            holds = holds and stable == "equal"
        self.page.row(
            [name, outputs if same else f"DIFFERENT, {outputs}", kernels(report), replays(report), len(losses), stable], holds
        )


def kinds(built):
    """(job, kind) of what the jobs of one kind each can do with one GPU."""
    for job in ("graph_kinds", "node_kinds"):
        listed = subprocess.run([built / job], capture_output=True, text=True).stderr.split(" all ")[1].split()
        yield from ((job, kind) for kind in listed if kind != "copy_peer")


def run(page, arguments, chain):
    page.section(
        "Output with and without graphtap",
        "Standard output, times left out. Kernels: of the largest graph. Stable: `dump --stable` of two runs.",
        ["job", "output", "kernels", "replays", "losses", "stable", "holds"],
    )
    table = Table(page, arguments)
    built, scripts = arguments.build / "jobs", Path(__file__).resolve().parent / "jobs"
    table.row("train_loop", [built / "train_loop", "--replays", "100"], want_scope="forward", twice=True)
    table.row("train_loop_update", [built / "train_loop", "--replays", "100", "--update", "7"], twice=True)
    table.row("driver_api", [built / "driver_api"], want_kernels=2, twice=True)
    for way in ("fork_join", "child_graph", "by_hand", "exec_update", "two_executables", "captures_in_threads",
                "programmatic_edges"):
        table.row(f"many_ways_{way}", [built / "many_ways", way])
    for job, kind in kinds(built):
        table.row(f"{job}_{kind}", [built / job, kind])
    for runtime, program in chain.items():
        table.row(f"chain_{runtime}", [program, "200", "65536", "8", "20", "5"], want_kernels=200, twice=True)
    if arguments.jobs:
        step = ["python3", arguments.jobs / "gpt_step.py", "1", "1"]
        table.row("gpt_step", step, want_kernels=894, runs=3)
        table.row("gpt_step_loop", step + ["--loop"], want_kernels=3858, runs=4)
    else:
        page.note("chain.cu and gpt_step.py were not given.")
    table.row("torch_graph_ranges", ["python3", scripts / "torch_graph_ranges.py"], want_scope="weights/scale")
    table.row("torch_compile", ["python3", scripts / "torch_compile.py"])
    table.row("triton_kernel", ["python3", scripts / "triton_kernel.py"], want_kernels=2)
    table.row("jax_command_buffer", ["python3", scripts / "jax_command_buffer.py"])
    conditional_row(page, arguments)


def conditional_row(page, arguments):
    """Bodies of conditional nodes, as they are listed."""
    program = arguments.build / "jobs/conditional"
    run = arguments.out / "run_conditional"
    same = jobs.plain([program]) == jobs.recorded(arguments.build, run, [program])
    report = jobs.report(arguments.build, "graphs", run, "--nodes")
    paths = [node["node"] for graph in report["graphs"] for node in graph["node_list"]]
    wanted = ["0", "0.body0/0", "0.body0/1", "0.body0/1.body0/0", "1", "1.body0/0", "1.body0/1"]
    page.row(["conditional", "equal" if same else "DIFFERENT", " ".join(paths), "3", "-", "-"], same and paths == wanted)
