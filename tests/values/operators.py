#!/usr/bin/env python3
"""Prints the operators of a run's one graph, and what each node is of, as `graphtap graphs` tells it.

operators.py GRAPHTAP RUN

A line for each operator: its number, scope and name[invocation], `leaf` or `composite`, the number of
the one around it, its tensors: operand, type, shape, strides, device, and of a backward node whose gradients
flow into it. Then a line for each node:
its number, what it is, the operator's number, and the operator that ran inside that.
"""
import json
import subprocess
import sys


def tensor_text(tensor):
    shape, strides = ("x".join(map(str, tensor[key])) for key in ("shape", "strides"))
    device = "host" if tensor["device"] is None else f"gpu{tensor['device']}"
    return f"{tensor['tensor']}={tensor['dtype']}:{shape}:{strides}:{device}"


def op_text(op):
    kind = "leaf" if op["leaf"] else "composite"
    around = "" if op["inside"] is None else f" in {op['inside']}"
    tensors = "".join(" " + tensor_text(tensor) for tensor in op["tensors"])
    gradient = op.get("gradient")
    whose = f" of {gradient['key']}[{gradient['invocation']}]: {', '.join(gradient['of'])}" if gradient else ""
    return f"op {op['index']} {op['key']}[{op['invocation']}] {kind}{around}{tensors}{whose}"


def node_text(node):
    name = node["kernel"]["name"] if "kernel" in node else node["kind"]
    of = "none" if node["op"] is None else node["op"]
    return f"node {node['node']} {name} {of} {node['inner_op']}".rstrip()


def main():
    command = [sys.argv[1], "graphs", sys.argv[2], "--nodes", "--json", "--limit", "0"]
    report = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    if len(report["graphs"]) != 1:
        sys.exit(f"operators.py: {len(report['graphs'])} graphs; one is expected")
    graph = report["graphs"][0]
    for line in [*map(op_text, graph["op_list"]), *map(node_text, graph["node_list"])]:
        print(line)


if __name__ == "__main__":
    main()
