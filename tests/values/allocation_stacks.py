#!/usr/bin/env python3
"""Holds where a run's events of the allocator come from against what Python saw: allocation_stacks.py DUMP TRUTH.

DUMP is what `graphtap dump` prints of a run of tests/jobs/python_allocations.py. Events that a block is free have
no place.
"""
import json
import sys

import text_records


def main():
    strings, stacks, events = {}, {}, []
    with open(sys.argv[1], encoding="utf-8") as dump:
        for _, message in text_records.records(dump):
            if "string" in message:
                text = message.one("string")
                strings[text.one("id", 0)] = text.one("text", b"").decode()
            elif "stack" in message:
                stacks[message.one("stack").one("id", 0)] = message.one("stack")["frames"]
            elif "allocator_event" in message:
                events.append(message.one("allocator_event"))
    seen, bare = [], 0
    for event in events:
        action = event.one("action", "ACTION_ALLOC")
        if action == "ACTION_FREE_COMPLETED":
            bare += "stack" not in event
            continue
        frames = stacks[event.one("stack")] if "stack" in event else []
        seen.append([action, [[strings[frame.one(part, 0)] if part != "line" else frame.one(part, 0)
                               for part in ("file", "line", "function")] for frame in frames]])
    with open(sys.argv[2], encoding="utf-8") as truth:
        expected = [json.loads(line) for line in truth]
    print(f"{len(seen)} events with a place, {bare} without")
    for got, wanted in zip(seen, expected):
        if got != wanted:
            sys.exit(f"{got}\n  expected {wanted}")
    if len(seen) != len(expected):
        sys.exit(f"{len(seen)} events, expected {len(expected)}")


main()
