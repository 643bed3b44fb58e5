"""What the adapter for PyTorch tells: operators, gradients and blocks of captured graphs, allocator events, and what it costs."""
import collections
import re
import shutil
import statistics
from pathlib import Path

import costs
import identity
import jobs
from page import words

SCRIPTS = Path(__file__).resolve().parent / "jobs"
# Of gpt_step with torch 2.11: nodes, nodes with an operator, leaf operators with nodes, outputs, written arguments.
GPT_STEP = (992, 992, 519, 920, 2471)


def counts_of(report):
    """Of the graph with the most nodes: the numbers of GPT_STEP, gradients, nodes in compiled regions, nodes in neither
    an operator nor a region."""
    graph = max(report["graphs"], key=lambda graph: len(graph["node_list"]))
    nodes, ops = graph["node_list"], graph["op_list"]
    leaves = {op["index"] for op in ops if op["leaf"]}
    with_nodes = {node["op"] for node in nodes} & leaves
    rows = graph["operators"]
    outputs, written = (sum(row[key] for row in rows) for key in ("outputs", "written"))
    numbers = (len(nodes), sum(node["op"] is not None for node in nodes), len(with_nodes), outputs, written)
    in_regions = sum(node["region"] is not None for node in nodes)
    unknown = sum(node["op"] is None and node["region"] is None for node in nodes)
    return numbers, graph["gradients"], in_regions, unknown


def graph_row(page, arguments, name, command, expected=None):
    run = arguments.out / f"operators_{name}"
    plain = identity.TIMES.sub("", jobs.plain(command))
    tapped = identity.TIMES.sub("", jobs.probed(arguments.build, run, command, "all=digest; grad:*=digest", "every:1"))
    numbers, gradients, in_regions, unknown = counts_of(jobs.report(arguments.build, "graphs", run, "--nodes", "--limit", "0"))
    refused, sites = collections.Counter(), collections.Counter()
    for process in jobs.report(arguments.build, "info", run)["processes"]:
        for group in process["probes"]["refused"]:
            refused[group["reason"]] += group["count"]
    for process in jobs.report(arguments.build, "tensors", "list", run, "--limit", "0")["processes"]:
        for site in process["sites"]:
            operand = re.match(r"\.(out|in|grad)\d", site["operand"])
            sites[operand[1] if operand else "node"] += site["observed"] > 0
    same = plain == tapped
    page.row([name, "equal" if same else "DIFFERENT", *numbers, gradients, in_regions, unknown, words(sites), words(refused)],
             same and expected in (None, numbers) and unknown == 0)


def run_graphs(page, arguments):
    page.section(
        "Operators of captured graphs",
        "`-p 'all=digest; grad:*=digest' --replays every:1`. Of the largest graph: nodes, nodes with an operator, leaf operators "
        "with nodes, their outputs and written arguments, gradients; nodes in compiled regions, nodes in neither an operator nor "
        "a region; observed sites by operand; refused ones.",
        ["job", "output", "nodes", "with operator", "leaves", "outputs", "written", "gradients", "in regions", "neither",
         "observed", "refused", "holds"],
    )
    graph_row(page, arguments, "training_step", ["python3", SCRIPTS / "torch_training_step.py"])
    graph_row(page, arguments, "compile", ["python3", SCRIPTS / "torch_compile.py"])
    if arguments.jobs:
        graph_row(page, arguments, "gpt_step", ["python3", arguments.jobs / "gpt_step.py", "1", "1"], GPT_STEP)


def allocator_row(page, arguments, name, job, *options, **environment):
    command = ["python3", SCRIPTS / job, *options]
    plain = jobs.plain(command, **environment)
    run = arguments.out / f"allocator_{name}"
    tapped = jobs.recorded(arguments.build, run, command, **environment)
    events = states = different = lost = 0
    for process in jobs.report(arguments.build, "info", run)["processes"]:
        allocator = process.get("allocator") or {"events": 0, "states": 0, "checked": []}
        events, states = events + allocator["events"], states + allocator["states"]
        different += sum(check["different"] for check in allocator["checked"])
        lost += sum(check["lost_events"] for check in allocator["checked"])
    same = plain == tapped
    page.row([name, "equal" if same else f"DIFFERENT: {plain} {tapped}", events, states, different, lost],
             same and events > 0 and states > 1 and different == lost == 0)


def run_allocator(page, arguments):
    page.section(
        "Events of PyTorch's allocator",
        "The events applied to the first state, compared with each later one: address, requested size, pool, stream, state. "
        "The last job prints what PyTorch's profiler and memory history say of it.",
        ["job", "output", "events", "states", "different blocks", "lost events", "holds"],
    )
    job = "torch_allocations.py"
    allocator_row(page, arguments, "million", job, "1000000")
    allocator_row(page, arguments, "expandable", job, "100000", PYTORCH_CUDA_ALLOC_CONF="expandable_segments:True")
    allocator_row(page, arguments, "own_history", job, "100000", "--history")
    allocator_row(page, arguments, "profiler", "torch_profiler.py")


def run_costs(page, arguments):
    page.section(
        "Cost of the adapter",
        "Nanoseconds a call outside of captures, without graphtap and with the adapter; medians of five processes, in turns.",
        ["operator", "without", "with", "added", "bar", "holds"],
    )
    command = ["python3", SCRIPTS / "torch_operator_cost.py"]

    def times(output):
        return {name: float(value) for name, value in re.findall(r"(\w+) ([\d.]+)", output)}

    run = arguments.out / "operator_cost"
    base, tapped = costs.alternate(lambda: times(jobs.plain(command)),
                                   lambda: times(jobs.recorded(arguments.build, run, command)))
    for name, bar in (("view", 100), ("empty", 250)):
        before, after = (statistics.median(row[name] for row in rows) for rows in (base, tapped))
        page.row([name, f"{before:.0f}", f"{after:.0f}", f"{after - before:+.0f}", f"≤ {bar}"],
                 True if after - before <= bar else None)

    page.section(
        "Cost of stacks of allocations",
        "The same of an operator that allocates, with `--alloc-stacks`: two stacks, of its allocation and of its end.",
        ["operator", "without", "with", "added"],
    )
    base, tapped = costs.alternate(lambda: times(jobs.plain(command)),
                                   lambda: times(jobs.recorded(arguments.build, run, command, GRAPHTAP_ALLOC_STACKS="1")))
    before, after = (statistics.median(row["empty"] for row in rows) for rows in (base, tapped))
    page.figures(["empty", f"{before:.0f}", f"{after:.0f}", f"{after - before:+.0f}"])


CAPTURE_ROUNDS = 3
RECORDED = ["--eager", "--step", "step", "--replays", "every:1"]
# What is measured, by the job's options: each as a multiple of the same without graphtap.
CAPTURES = {
    (): {
        "graph only": ["--adapter", "off"],
        "graph only, no points": ["--adapter", "off", "--points", "none"],
        "with operators": ["--stacks", "off"],
        "with operators and stacks": [],
    },
    ("--busy",): {"with operators and stacks, both beside a busy Python thread": []},
    ("--eager",): {
        "no capture: the step, not recorded": [],
        "no capture: the step, `all=hash`": [*RECORDED, "-p", "all=hash"],
        "no capture: the step, `all=digest`": [*RECORDED, "-p", "all=digest"],
    },
}


def run_capture_costs(page, arguments):
    page.section(
        "Cost of a capture",
        "Milliseconds, of a training step of a transformer with 12 layers, from before the graph's begin to after its end; "
        f"of {CAPTURE_ROUNDS} processes each, in turns, the median.",
        ["what", "without", "with", "multiple"],
    )
    run = arguments.out / "capture_cost"

    def milliseconds(command):
        shutil.rmtree(run, ignore_errors=True)
        return float(re.search(r"capture ([\d.]+)", jobs.plain(command))[1])

    for job_options, rows in CAPTURES.items():
        command = ["python3", SCRIPTS / "torch_capture_cost.py", *job_options]
        times = collections.defaultdict(list)
        for _ in range(CAPTURE_ROUNDS):
            times[""].append(milliseconds(command))
            for name, options in rows.items():
                launcher = [arguments.build / "bin/graphtap", "run", "-o", run, "--log", "quiet", *options, "--"]
                times[name].append(milliseconds([*launcher, *command]))
        before = statistics.median(times[""])
        for name in rows:
            after = statistics.median(times[name])
            page.figures([name, f"{before:.1f}", f"{after:.1f}", f"{after / before:.2f}"])
