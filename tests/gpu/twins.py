"""The same step without a graph and in one: which operators pair, and whether they have the same values."""
import collections
import json
import subprocess
from pathlib import Path

import jobs
from page import words

TWIN = Path(__file__).resolve().parent / "jobs/torch_twin.py"
WHAT = "op:*=digest; grad:*=digest"
LAST = 4  # step, which is the graph's first replay


def observe(arguments, run, words_of_job, replay, **environment):
    """Output of the job, which is that without graphtap."""
    command = ["python3", TWIN, *words_of_job]
    plain = jobs.plain(command)
    tapped = jobs.probed(arguments.build, run, command, WHAT, str(replay), **environment)
    return tapped if tapped == plain else f"DIFFERENT: {plain} {tapped}"


def compare(arguments, eager, graph):
    command = [arguments.build / "bin/graphtap", "tensors", "compare", eager, graph, "--pair", "nth", "--json"]
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    report = json.loads(done.stdout)
    [pair] = [executable for process in report["processes"] for executable in process["executables"]]
    [replay] = pair["replays"]
    return replay["observations"]


def operators(arguments, run):
    """With tensors that are observed."""
    sites = [site for process in jobs.report(arguments.build, "tensors", "list", run, "--limit", "0")["processes"]
             for site in process["sites"]]
    return len({(site["name"].rpartition(".")[0], site["invocation"]) for site in sites})


def row(page, arguments, model):
    runs = {name: arguments.out / f"twin_{model}_{name}" for name in ("eager", "graph", "planted")}
    eager = observe(arguments, runs["eager"], [model, "--eager"], LAST, GRAPHTAP_EAGER="1", GRAPHTAP_STEP="step")
    graph = observe(arguments, runs["graph"], [model], 1)
    observe(arguments, runs["planted"], [model, "--plant"], 1)
    seen = compare(arguments, runs["eager"], runs["graph"])
    counts = collections.Counter(f'{item["status"]} {item["kind"]}' for item in seen)
    wrong = [item for item in compare(arguments, runs["eager"], runs["planted"]) if item["status"] == "mismatch"]
    first = f'{wrong[0]["name"]}[{wrong[0]["invocation"]}]' if wrong else "-"
    paired = sum(item["reference"] is not None and item["candidate"] is not None for item in seen)
    page.row([model, "equal" if eager == graph else f"{eager} {graph}", operators(arguments, runs["eager"]),
              operators(arguments, runs["graph"]), paired, words(counts), first],
             "DIFFERENT" not in eager + graph and paired > 0 and "mismatch" not in {item["status"] for item in seen})


def run(page, arguments):
    page.section(
        "Eager steps",
        f"`-p '{WHAT}'`, the {LAST}th step of a model without a graph, and the same as a graph's first replay. Output "
        "with and without graphtap, and of both; operators with observed tensors in the one and the other; tensors that "
        "pair, and how they compare; the first that differs from a graph in which one layer calculates something else.",
        ["model", "output", "operators", "in the graph", "pairs", "tensors", "first planted", "holds"],
    )
    for model in ("resnet18", "transformer"):
        row(page, arguments, model)
