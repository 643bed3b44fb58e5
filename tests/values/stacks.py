#!/usr/bin/env python3
"""Holds the recorded stacks of a run of tests/jobs/python_ops.py against what Python saw: stacks.py GRAPHTAP RUN TRUTH."""
import json
import subprocess
import sys

MOST_FRAMES = 128  # that are recorded of one stack


def expected_of(line):
    name, frames = json.loads(line)
    kept = [tuple(frame) for frame in frames[:MOST_FRAMES]]
    place = next(frame for frame in kept if "/site-packages/torch/" not in frame[0])
    return name, kept, place, len(frames) > MOST_FRAMES


def frame_of(told):
    return told["file"], told["line"], told["function"]


def main():
    report = json.loads(subprocess.run([sys.argv[1], "graphs", sys.argv[2], "--nodes", "--json", "--limit", "0"],
                                       check=True, capture_output=True).stdout)
    graph, = report["graphs"]
    with open(sys.argv[3]) as file:
        expected = [expected_of(line) for line in file]
    faults = []
    for op, wanted in zip(graph["op_list"], expected):
        if op["stack"] is None:
            faults.append(f"{op['name']}: no stack")
            continue
        stack = graph["stacks"][str(op["stack"])]
        seen = op["name"], [frame_of(frame) for frame in stack["frames"]], frame_of(op["place"]), stack["cut"]
        if seen != wanted:
            faults.append(f"{op['name']}: {seen}\n  expected {wanted}")
    if len(graph["op_list"]) != len(expected):
        faults.append(f"{len(graph['op_list'])} operators, expected {len(expected)}")
    print(f"{len(expected)} operators, {len(graph['stacks'])} stacks, {len(faults)} faults")
    sys.exit("\n".join(faults[:5]) if faults else 0)


main()
