"""Programs and tests of other people end as they do without graphtap."""
import concurrent.futures
import os
import re
import shutil
import subprocess
import xml.etree.ElementTree

import frameworks
from page import words

LIMIT_S = 400
# What differs between any two runs: times, and addresses.
VARIABLE = re.compile(r"[\d.]+ ?(s|ms|us)\b|0x[0-9a-f]+")


class Ending:
    """How a program ended: status, output without what varies, the whole stderr."""

    def __init__(self, command, environment):
        try:
            done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=LIMIT_S,
                                  env={**os.environ, **environment})
            # As `graphtap run` and shells tell of a signal.
            self.status = done.returncode if done.returncode >= 0 else 128 - done.returncode
            self.output, self.errors = VARIABLE.sub("", done.stdout), done.stderr
        except subprocess.TimeoutExpired:
            self.status, self.output, self.errors = "time limit", "", ""

    def same_as(self, other, but_numbers=False):
        outputs = [re.sub(r"[\d.]+", "", each.output) if but_numbers else each.output for each in (self, other)]
        return self.status == other.status and outputs[0] == outputs[1]


def tapped(arguments, run, command, *options):
    shutil.rmtree(run, ignore_errors=True)
    return [arguments.build / "bin/graphtap", "run", "-o", run, *options, "--", *command]


PROBED = ("-p", frameworks.ALL, "--replays", frameworks.EACH)


def case_command(arguments, source):
    if source.suffix == ".py":
        return ["python3", source]
    program = arguments.out / source.stem
    subprocess.run(["nvcc", "-O2", "-arch=native", "-o", str(program), str(source)], check=True)
    return [program]


def run_cases(page, arguments):
    page.section(
        "Small programs with faults of their own",
        f"Exit status and output, times and addresses left out: without graphtap, recorded, and with `{' '.join(PROBED)}`.",
        ["program", "status", "differs by itself", "recorded", "observed", "sampled", "losses", "skips", "graphtap says", "holds"],
    )
    if not arguments.cases:
        page.note("Not run: no --cases.")
        return
    sources = sorted(path for path in arguments.cases.iterdir() if path.suffix in (".py", ".cu"))

    def endings(source):
        command = case_command(arguments, source)
        runs = [arguments.out / f"case_{source.stem}_{how}" for how in ("recorded", "observed")]
        commands = [command, command, tapped(arguments, runs[0], command), tapped(arguments, runs[1], command, *PROBED)]
        return [Ending(each, {"PYTHONUNBUFFERED": "1"}) for each in commands], runs[1]

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for source, (found, run) in zip(sources, pool.map(endings, sources)):
            plain, again, *others = found
            seen = frameworks.seen_by(arguments.build, run)
            said = sorted({line for line in others[1].errors.splitlines() if line.startswith("graphtap: ")})
            varies = not again.same_as(plain)
            same = [each.same_as(plain, varies) for each in others]
            for each, is_same, how in zip(others, same, ("recorded", "observed")):
                if not is_same:
                    print(f"{source.name}: {how}: {each.status} {each.output}\n--- plain: {plain.output}\n"
                          f"--- stderr: {each.errors[-1500:]}", flush=True)
            page.row([source.stem, plain.status, "numbers" if varies else "none",
                      *("equal" if is_same else "DIFFERENT" for is_same in same), seen["sampled"], words(seen["losses"]),
                      words(seen["skips"]), "; ".join(said) or "-"], all(same))


def results(arguments, name, command, environment):
    """{test: passed, failed, skipped or error}, and how pytest ended."""
    report = arguments.out / f"{name}.xml"
    report.unlink(missing_ok=True)
    ending = Ending([*command, f"--junitxml={report}"], environment)
    if not report.exists():
        return {}, ending
    found = {}
    for case in xml.etree.ElementTree.parse(report).iter("testcase"):
        kinds = {child.tag for child in case} & {"failure", "error", "skipped"}
        found[f"{case.get('classname')}.{case.get('name')}"] = kinds.pop() if kinds else "passed"
    return found, ending


def run_torch_tests(page, arguments):
    page.section(
        "PyTorch's own tests of CUDA graphs",
        f"The tests of its test_cuda.py whose names have \"graph\", with `{' '.join(PROBED)}`; a row for each that ends in another way.",
        ["tests", "passed", "skipped", "failed", "observed: passed", "skipped", "failed", "sampled", "losses", "skips", "holds"],
    )
    if not arguments.torch_tests:
        page.note("Not run: no --torch-tests.")
        return
    folders = [str(path) for path in (arguments.pytest, os.environ.get("PYTHONPATH")) if path]
    environment = {"PYTHONPATH": ":".join(folders)}
    command = ["python3", "-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "-k", "graph", arguments.torch_tests]
    run = arguments.out / "torch_tests"
    plain, plain_ending = results(arguments, "torch_tests_plain", command, environment)
    observed, ending = results(arguments, "torch_tests_observed", tapped(arguments, run, command, *PROBED), environment)
    if not plain or not observed:
        print(plain_ending.errors[-2000:], plain_ending.output[-2000:], ending.errors[-2000:], ending.output[-2000:], flush=True)
    counted = [[list(found.values()).count(kind) for kind in ("passed", "skipped", "failure")] for found in (plain, observed)]
    seen = frameworks.seen_by(arguments.build, run)
    page.row([len(plain), *counted[0], *counted[1], seen["sampled"], words(seen["losses"]), words(seen["skips"])],
             bool(plain) and plain == observed)
    for test in sorted(set(plain) | set(observed)):
        if plain.get(test) != observed.get(test):
            page.row([test, plain.get(test), "", "", observed.get(test), "", "", "", "", ""], False)
    (arguments.out / "torch_tests.log").write_text(ending.output + ending.errors)
