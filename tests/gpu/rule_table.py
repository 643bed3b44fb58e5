"""The rules of CUDA that graphtap rests on: one program, on the stand-in driver and on the card."""
import json
import os
import subprocess

import machine


def results(arguments, name, **environment):
    """{rule: passed} of the rule program."""
    file = arguments.out / f"rules_{name}.json"
    program = arguments.build / "rules/rules"
    subprocess.run(
        [program, f"--gtest_output=json:{file}"], env={**os.environ, **environment}, stdout=subprocess.DEVNULL, timeout=300
    )
    table = {}
    for suite in json.loads(file.read_text())["testsuites"]:
        for test in suite["testsuite"]:
            ran = test["result"] == "COMPLETED"
            table[f"{suite['name']}.{test['name']}"] = "skipped" if not ran else ("fails" if test.get("failures") else "holds")
    return table


def run(page, arguments):
    hostcuda = arguments.build / "hostcuda"
    gpus = len(machine.output("nvidia-smi", "--list-gpus").splitlines())
    stand_in = results(
        arguments, "hostcuda", LD_LIBRARY_PATH=str(hostcuda), HOSTCUDA_TWINS=str(hostcuda / "rules_twins.so"),
        HOSTCUDA_DEVICES=str(gpus)
    )
    card = results(arguments, "card")
    page.section("Rules", "Each rule is one test that runs unchanged on both.", ["rule", "hostcuda", "card", "same"])
    for rule in sorted(stand_in | card):
        seen = [stand_in.get(rule, "absent"), card.get(rule, "absent")]
        page.row([rule, *seen], seen == ["holds", "holds"])
