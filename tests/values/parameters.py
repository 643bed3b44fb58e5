#!/usr/bin/env python3
"""Holds what graphs say of parameters against the truth of tests/jobs/python_parameters.py: parameters.py GRAPHTAP RUN TRUTH."""
import json
import subprocess
import sys


def main():
    report = json.loads(subprocess.run([sys.argv[1], "graphs", sys.argv[2], "--nodes", "--json", "--limit", "0"],
                                       check=True, capture_output=True).stdout)
    seen = [[[operand["address"], operand.get("parameter")] for node in graph["node_list"] for operand in node["operands"]]
            for graph in report["graphs"]]
    with open(sys.argv[3]) as file:
        expected = [json.loads(line) for line in file]
    faults = [f"seen {have}\n  expected {want}" for have, want in zip(seen, expected) if have != want]
    if len(seen) != len(expected):
        faults.append(f"{len(seen)} graphs, expected {len(expected)}")
    sys.exit("\n".join(faults) if faults else 0)


main()
