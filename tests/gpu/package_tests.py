"""The tests and examples of a Python package end as they do without graphtap: torch-cudagraph-debug's, for one."""
import concurrent.futures
import os
import subprocess

import frameworks
from others import PROBED, Ending, tapped
from page import words

WORKERS = 16
FOLDER = "FOLDER"  # an argument that stands for a folder of its own


def build(arguments, folder):
    """Installs the package beside the results: the environment that finds it."""
    found = [str(path) for path in (folder, arguments.pytest, os.environ.get("PYTHONPATH")) if path]
    # By these its tests take what is installed, not the sources without their extension, and none may be skipped.
    environment = {"PYTHONPATH": ":".join(found), "TORCH_CUDA_ARCH_LIST": "9.0", "TCGD_TEST_INSTALLED": "1", "TCGD_FAIL_ON_SKIP": "1"}
    command = ["python3", "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps", "--target", folder, arguments.package]
    subprocess.run([str(word) for word in command], check=True, env={**os.environ, **environment})
    return environment


def programs(arguments, environment):
    """{name: command}: each test in a process of its own, since some of them crash, and each example."""
    pytest = ["python3", "-m", "pytest", "-q", "-o", "addopts=", "-p", "no:cacheprovider", f"--rootdir={arguments.package}"]
    listed = subprocess.run([*pytest, "--collect-only", "-m", "gpu", str(arguments.package)], capture_output=True, text=True,
                            env={**os.environ, **environment}, cwd=arguments.package)
    tests = [line for line in listed.stdout.splitlines() if "::" in line]
    if not tests:
        raise RuntimeError(f"no tests in {arguments.package}: {listed.stdout[-500:]}{listed.stderr[-500:]}")
    found = {test.split("/")[-1]: [*pytest, "-m", "gpu", arguments.package / test] for test in tests}
    for example in sorted((arguments.package / "examples").rglob("*.py")):
        wants_folder = "--output-dir" in example.read_text()
        found[str(example.relative_to(arguments.package))] = ["python3", example, *(["--output-dir", FOLDER] * wants_folder)]
    return found


def in_folder(command, folder):
    return [folder if word == FOLDER else word for word in command]


def run(page, arguments):
    page.section(
        "Tests and examples of torch-cudagraph-debug",
        f"How each ends without graphtap and with `{' '.join(PROBED)}`; each in a process of its own. A row for each that differs.",
        ["programs", "ended well", "observed: ended well", "sampled", "losses", "skips", "holds"],
    )
    if not arguments.package:
        page.note("Not run: no --package.")
        return
    environment = build(arguments, arguments.out / "package")
    commands = programs(arguments, environment)

    def endings(item):
        number, (name, command) = item
        run_folder = arguments.out / f"package_{number}"
        plain = Ending(in_folder(command, f"{run_folder}_plain"), environment)
        mine = in_folder(command, f"{run_folder}_observed")
        observed = Ending(tapped(arguments, run_folder, mine, *PROBED), environment)
        print(f"{name}: {plain.status}, {observed.status}", flush=True)
        return plain, observed, frameworks.seen_by(arguments.build, run_folder)

    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        found = dict(zip(commands, pool.map(endings, enumerate(commands.items()))))
    plain_well, observed_well = (sum(pair[i].status == 0 for pair in found.values()) for i in (0, 1))
    totals = [sum((pair[2][what] for pair in found.values()), type(next(iter(found.values()))[2][what])()) for what in
              ("sampled", "losses", "skips")]
    different = {name: pair for name, pair in found.items() if pair[0].status != pair[1].status}
    page.row([len(found), plain_well, observed_well, totals[0], words(totals[1]), words(totals[2])], not different)
    for name, (plain, observed, _) in different.items():
        page.row([name, plain.status, observed.status, "", "", ""], False)
        print(f"{name}: {observed.output[-1500:]}\n{observed.errors[-1500:]}", flush=True)
    failing = sorted(name for name, pair in found.items() if pair[0].status != 0 and name not in different)
    if failing:
        page.note(f"Failing in both: {', '.join(failing)}.")
