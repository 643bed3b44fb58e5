#!/usr/bin/env python3
"""Holds the recorded regions of a run of tests/jobs/python_regions.py against what Python saw: regions.py GRAPHTAP RUN TRUTH."""
import json
import subprocess
import sys


def found(frames, name):
    """The innermost frame of the program in a function of this name."""
    if name is None:
        return None
    return next(frame for frame in frames if frame[0].endswith("/python_regions.py") and frame[2].split(".")[-1] == name)


def expected_of(line):
    told = json.loads(line)
    frames = [tuple(frame) for frame in told["frames"]]
    region = None
    if told["name"] is not None:
        line = next(frame for frame in frames if frame[0].endswith(f"/{told['name']}.py"))
        function = told["begins"] and tuple(told["begins"]) or found(frames, told["function"])
        region = told["name"], told["compile_id"], line, function, found(frames, told["caller"])
    place = next(frame for frame in frames if "/site-packages/" not in frame[0] and frame[0] != "<string>")
    return told["operator"], frames, place, region


def frame_of(told):
    return told and (told["file"], told["line"], told["function"])


def seen_of(graph, node):
    stack = node["stack"] is not None and graph["stacks"][str(node["stack"])]
    frames = [frame_of(frame) for frame in stack["frames"]] if stack else None
    operator = None if node["op"] is None or not graph["op_list"][node["op"]]["leaf"] else graph["op_list"][node["op"]]["name"]
    region = node["region"]
    if region is not None:
        region = region["name"], region["compile_id"], *(frame_of(region[part]) for part in ("line", "function", "caller"))
    return operator, frames, frame_of(node["place"]), region


def main():
    report = json.loads(subprocess.run([sys.argv[1], "graphs", sys.argv[2], "--nodes", "--json", "--limit", "0"],
                                       check=True, capture_output=True).stdout)
    seen = [seen_of(graph, node) for graph in report["graphs"] for node in graph["node_list"]]
    with open(sys.argv[3]) as file:
        expected = [expected_of(line) for line in file]
    faults = [f"{a}\n  expected {b}" for a, b in zip(seen, expected) if a != b]
    if len(seen) != len(expected):
        faults.append(f"{len(seen)} nodes, expected {len(expected)}")
    print(f"{len(expected)} nodes, {sum(node[3] is not None for node in seen)} in regions, {len(faults)} faults")
    sys.exit("\n".join(faults[:3]) if faults else 0)


main()
