#!/usr/bin/env python3
"""Checks recorded values against what the job says that they are.

check_values.py GRAPHTAP RUN TRUTH [--least N] [--may-lose CAUSE …] [--fail-open] [--torn]

GRAPHTAP: the program, which prints the records. RUN: a run of one process that was recorded with
hashes, copies or both of the sites in TRUTH, in every replay that was due. TRUTH: JSON lines of the
job: the words, or the hash, of an operand of a node right behind it in a replay, and how often each
executable was launched. A tensor has its memory in words, the bytes of an item, sizes, strides, and how
many items are before its first one.
--least: observations that there must be (default: 1). --may-lose: allowed losses (default: all).
--fail-open: due replays may be missing if the run says of anything that it could not be observed.
--torn: the process was killed: the last replays may be missing, but none between others.
Prints one line of JSON. Exit 1 if a value is wrong, of another replay, missing or there twice.
"""
import argparse
import collections
import itertools
import json
import struct
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import digest
import observed

# Losses that count replays, each of which is marked with its cause.
OF_REPLAYS = ("no_slot", "stream_changed", "launch_overlap", "mirror_stale", "mirror_failed", "shadow_failed",
              "shadow_launch_failed", "undrained", "drain_failed", "wrong_slot")
LIMIT = 10  # faults that are printed


def number(text):
    scale = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1:].upper(), 1)
    return int(text.rstrip("KMGkmg")) * scale


def due(text, replay):
    """Whether the text of GRAPHTAP_REPLAYS has the replay."""
    for item in text.replace(" ", "").split(","):
        if item.startswith("every:"):
            if replay % number(item[len("every:"):]) == 0:
                return True
            continue
        first, _, last = item.partition("-")
        if number(first) <= replay <= number(last or first):
            return True
    return False


def bytes_of(fact):
    """Of an operand in C order; where nothing is said of that, it lies so."""
    memory = struct.pack(f"<{len(fact['words'])}I", *fact["words"])
    if "strides" not in fact:
        return memory
    item, items = fact["item"], []
    for index in itertools.product(*map(range, fact["sizes"])):
        at = fact.get("first", 0) + sum(i * stride for i, stride in zip(index, fact["strides"]))
        items.append(memory[at * item:(at + 1) * item])
    return b"".join(items)


class Truth:
    def __init__(self, lines):
        self.bytes, self.hashes, self.replays = {}, {}, {}
        self.operands = collections.defaultdict(set)  # (executable, replay): operands
        for line in lines:
            fact = json.loads(line)
            if "replays" in fact:
                self.replays[fact["executable"]] = fact["replays"]
                continue
            key = (fact["executable"], fact["replay"], fact["name"], fact["occurrence"], fact["operand"])
            if "hash" in fact:
                self.hashes[key] = (fact["bytes"], int(fact["hash"], 16))
            else:
                self.bytes[key] = bytes_of(fact)
            self.operands[key[:2]].add(key[2:])

    def replay_with(self, key, seen):
        """Another replay in which the operand begins with `seen`."""
        for other in range(1, self.replays[key[0]] + 1):
            data = self.bytes.get((key[0], other, *key[2:]), b"")
            if other != key[1] and seen and data.startswith(seen):
                return other
        return None


class Check:
    def __init__(self, run, truth, fail_open=False, torn=False):
        self.run, self.truth, self.fail_open, self.torn = run, truth, fail_open, torn
        self.faults, self.seen = [], collections.Counter()
        self.hashes = self.copies = 0

    def fault(self, text):
        self.faults.append(text)

    def check_values(self):
        for observation in self.run.observations():
            key = observation[:5]
            if key not in self.truth.bytes and key not in self.truth.hashes:
                continue  # of a site that the job says nothing about
            self.seen[key] += 1
            if self.seen[key] > 1:
                self.fault(f"{key}: observed twice")
            self.check_payload(key, observation)
            self.check_hash(key, observation)

    def check_payload(self, key, observation):
        if observation.payload is None or key not in self.truth.bytes:
            return
        self.copies += 1
        expected = self.truth.bytes[key][:len(observation.payload)]
        if observation.payload != expected:
            other = self.truth.replay_with(key, observation.payload)
            whose = "" if other is None else f", which is replay {other}'s"
            self.fault(f"{key}: copied {observation.payload.hex()}{whose}, expected {expected.hex()}")

    def check_hash(self, key, observation):
        if observation.hash is None:
            return
        expected = self.expected_hash(key, observation.extent)
        self.hashes += 1
        if expected is None:
            self.fault(f"{key}: a hash of {observation.extent} bytes, which the job does not know")
        elif observation.hash != expected:
            self.fault(f"{key}: hash {observation.hash:016x} of {observation.extent} bytes, expected {expected:016x}")

    def expected_hash(self, key, extent):
        if key in self.truth.hashes:
            known, value = self.truth.hashes[key]
            return value if extent == known else None
        known = self.truth.bytes[key]
        return digest.hash_of(known[:extent]) if 0 < extent <= len(known) else None

    def check_replays(self):
        """Each due replay is there with all that the job tells of it, or lost and counted."""
        self.due = self.complete = 0
        missing = []
        for (executable, replay), operands in self.truth.operands.items():
            key = (executable, replay)
            there = sum((executable, replay, *operand) in self.seen for operand in operands)
            if not due(self.run.due_text, replay):
                if there or key in self.run.sampled or key in self.run.lost:
                    self.fault(f"x{executable}@{replay} was not due")
                continue
            self.due += 1
            if there == len(operands) and key not in self.run.lost:
                self.complete += 1
            elif there and not (self.fail_open and self.run.counted()):
                self.fault(f"x{executable}@{replay}: {there} of {len(operands)} operands observed")
            elif not there and key not in self.run.lost:
                missing.append(key)
        self.check_losses(missing)

    def check_losses(self, missing):
        last = max((key[1] for key in self.seen), default=0)
        for executable, replay in missing:
            if self.torn and replay > last:
                continue
            unseen = (executable, replay) not in self.run.sampled
            if unseen and not (self.fail_open and self.run.counted()):
                self.fault(f"x{executable}@{replay} was due: no observation, no loss")
        lost = collections.Counter(self.run.lost.values())
        self.lost = {cause: count for cause, count in self.run.losses.items() if count}
        for cause in OF_REPLAYS:
            if lost[cause] != self.lost.get(cause, 0):
                self.fault(f"{cause}: {lost[cause]} replays are marked, {self.lost.get(cause, 0)} counted")
        with_values = {key[:2] for key in self.seen}
        for executable, replay in sorted(self.run.sampled - with_values):
            self.fault(f"x{executable}@{replay} was sampled: no observation")

    def check_launches(self):
        if self.fail_open and self.run.counted():
            return
        for executable, replays in self.truth.replays.items():
            if self.torn and self.run.replays[executable] <= replays:
                continue
            if self.run.replays[executable] != replays:
                self.fault(f"x{executable}: {self.run.replays[executable]} launches recorded, {replays} made")

    def check_all(self, least, may_lose):
        self.check_values()
        self.check_replays()
        self.check_launches()
        if len(self.seen) < least:
            self.fault(f"{len(self.seen)} observations, at least {least} are due")
        for cause in self.lost:
            if may_lose is not None and cause not in may_lose:
                self.fault(f"{self.lost[cause]} {cause}: not a loss that may be here")
        return not self.faults

    def summary(self):
        return {"due": self.due, "complete": self.complete, "observations": len(self.seen), "hashes": self.hashes,
                "copies": self.copies, "lost": self.lost, "faults": len(self.faults)}


def check(graphtap, run, truth, least=1, may_lose=None, fail_open=False, torn=False):
    """(summary, faults) of a run."""
    with open(truth, encoding="utf-8") as lines:
        checked = Check(observed.Run(observed.dump_lines(graphtap, run)), Truth(lines), fail_open, torn)
    checked.check_all(least, may_lose)
    return checked.summary(), checked.faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("graphtap")
    parser.add_argument("run")
    parser.add_argument("truth")
    parser.add_argument("--least", type=int, default=1)
    parser.add_argument("--may-lose", nargs="*")
    parser.add_argument("--fail-open", action="store_true")
    parser.add_argument("--torn", action="store_true")
    arguments = parser.parse_args()
    try:
        summary, faults = check(**vars(arguments))
    except (OSError, RuntimeError, ValueError, KeyError) as error:
        sys.exit(f"check_values.py: {error!r}")
    print(json.dumps(summary))
    for fault in faults[:LIMIT]:
        print(fault, file=sys.stderr)
    if len(faults) > LIMIT:
        print(f"and {len(faults) - LIMIT} more", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
