#!/usr/bin/env python3
"""Holds the block of each operand of a run's kernels against what the job torch_blocks says.

blocks.py GRAPHTAP RUN TRUTH

Each argument must be in the block of the truth, by address, size, pool and operator, and its extent
must end with that block. The other operands of a node are tensors of an operator: where they are an
argument too they must be in the same block. Prints how many arguments there are, and of how many of them
the block was not there any more when the capture ended. Exit 1: what is wrong.
"""
import json
import subprocess
import sys


def fail(*words):
    sys.exit("blocks.py: " + " ".join(map(str, words)))


def check_argument(place, seen, expected):
    block = dict(expected["block"], op=expected["block"]["op"] or None)
    if seen["address"] != expected["address"] or seen.get("block") != block:
        fail(place, seen, "is not", expected)
    extent = int(block["address"], 16) + block["bytes"] - int(seen["address"], 16)
    if (seen["extent"], seen["exact"]) != (extent, True):
        fail(place, seen, "does not have the extent", extent)


def check_node(place, node, expected):
    arguments = [operand for operand in node["operands"] if operand["operand"].startswith(".arg")]
    if node["kernel"]["name"] != expected["kernel"] or len(arguments) != len(expected["operands"]):
        fail(place, node["kernel"]["name"], len(arguments), "is not", expected)
    for seen, truth in zip(arguments, expected["operands"]):
        check_argument(place, seen, truth)
    blocks = {operand["address"]: operand["block"] for operand in arguments}
    for operand in node["operands"]:
        if operand.get("block") != blocks.get(operand["address"], operand.get("block")):
            fail(place, operand, "is in another block than the argument")


def main():
    command = [sys.argv[1], "graphs", sys.argv[2], "--nodes", "--json", "--limit", "0"]
    graphs = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)["graphs"]
    with open(sys.argv[3], encoding="utf-8") as truth:
        lines = iter([json.loads(line) for line in truth])
    arguments = other_at_end = 0
    for index, graph in enumerate(graphs):
        kernels = []
        for node in graph["node_list"]:
            kernels.append(next(lines))
            check_node(f"graph {index}, node {node['node']}:", node, kernels[-1])
        end = next(lines, {}).get("end") or fail("graph", index, "has too few nodes")
        for operand in (operand for kernel in kernels for operand in kernel["operands"]):
            arguments += 1
            other_at_end += [operand["block"]["address"], operand["block"]["bytes"]] not in end
    if next(lines, None) is not None:
        fail("there are too few graphs")
    print(arguments, other_at_end)


if __name__ == "__main__":
    main()
