"""What a run says that probes saw: observations under the names that a program knows, and losses."""
import collections
import itertools
import re
import subprocess
from pathlib import Path

import text_records

ROOT = Path(__file__).resolve().parent.parent.parent
# The kinds of node that have operands besides kernels: CUgraphNodeType.
KIND_NAMES = {1: "memcpy", 2: "memset"}
OF_OPS = {"ROLE_OUTPUT": "out", "ROLE_INPUT": "in", "ROLE_GRADIENT": "grad"}

Observation = collections.namedtuple(
    "Observation", "executable replay name occurrence operand extent exact hash payload")


def loss_names():
    text = (ROOT / "proto/lists/losses.inc").read_text()
    return {int(number): name for number, name in re.findall(r"^GT_LOSS\((\d+), (\w+),", text, re.M)}


def short_name(mangled):
    """Of kernels in no namespace, which is what the jobs have."""
    match = re.match(r"_Z(\d+)", mangled)
    if match is None:
        return mangled
    start = match.end()
    return mangled[start:start + int(match[1])]


def operand_name(site):
    role = site.one("role", "ROLE_ARGUMENT")
    if role in OF_OPS:
        return f"{OF_OPS[role]}{site.one('parameter', 0)}"
    if role != "ROLE_ARGUMENT":
        return {"ROLE_DESTINATION": "dst", "ROLE_SOURCE": "src"}[role]
    offset = site.one("offset")
    return f"arg{site.one('parameter', 0)}" + ("" if offset is None else f"+0x{offset:x}")


def dump_lines(graphtap, run):
    """The records of a run as text; RuntimeError if it cannot be read."""
    result = subprocess.run([graphtap, "dump", run], capture_output=True)
    if result.returncode != 0:
        raise RuntimeError(f"graphtap dump {run}: {result.stderr.decode(errors='replace')[-500:]}")
    return result.stdout.decode(errors="surrogateescape").splitlines()


class Run:
    """The process of a run that has executables, from the text of its records."""

    def __init__(self, lines):
        self.strings, self.functions, self.sites = {}, {}, {}
        self.nodes = collections.defaultdict(dict)  # graph: {index: node}
        self.ops = {}  # of (graph, index)
        self.raw, self.pieces = [], collections.defaultdict(dict)
        self.sampled, self.lost = set(), {}  # of (executable, replay)
        self.replays = collections.Counter()  # launches of an executable
        self.losses, self.rules = {}, {}
        self.shadows, self.refusals = [], []
        self.specification = self.due_text = ""
        files = collections.defaultdict(list)
        for file, entry in text_records.records(lines):
            files[file].append(entry)
        with_work = [file for file, entries in files.items() if any("executable" in entry for entry in entries)]
        if len(with_work) > 1:
            raise ValueError(f"the run has {len(with_work)} processes with executables; one is expected")
        for entry in files[with_work[0]] if with_work else itertools.chain(*files.values()):
            for kind, bodies in entry.items():
                getattr(self, f"read_{kind}", lambda body: None)(bodies[0])
        self.names = {graph: self.name_nodes(nodes) for graph, nodes in self.nodes.items()}

    def read_run(self, run):
        self.specification = run.one("specification", b"").decode()
        self.due_text = run.one("replays", b"").decode()

    def read_string(self, string):
        self.strings[string.one("id", 0)] = string.one("text", b"").decode(errors="replace")

    def read_function(self, function):
        self.functions[function.one("id", 0)] = function.one("name", 0)

    def read_node(self, node):
        self.nodes[node.one("graph", 0)][node.one("index", 0)] = node

    def read_op(self, op):
        self.ops[op.one("graph", 0), op.one("index", 0)] = op

    def read_site(self, site):
        self.sites[site.one("id", 0)] = site

    def read_observation(self, observation):
        self.raw.append(observation)

    def read_payload_piece(self, piece):
        self.pieces[piece.one("payload", 0)][piece.one("offset", 0)] = piece.one("bytes", b"")

    def read_replay(self, replay):
        key = (replay.one("executable", 0), replay.one("number"))
        if replay.one("sampled"):
            self.sampled.add(key)
        if "lost" in replay:
            self.lost[key] = loss_names().get(replay.one("lost"), replay.one("lost"))

    def read_replay_range(self, launches):
        executable = launches.one("executable", 0)
        self.replays[executable] = max(self.replays[executable], launches.one("last", 0))

    def read_loss(self, loss):
        self.losses[loss_names().get(loss.one("cause", 0), loss.one("cause"))] = loss.one("count", 0)

    def read_rule_counts(self, counts):
        self.rules[counts.one("rule", 0)] = {name: values[0] for name, values in counts.items() if name != "rule"}

    def read_shadow(self, shadow):
        self.shadows.append(shadow)

    def read_refusal(self, refusal):
        self.refusals.append(refusal)

    def counted(self):
        """Whether the run says of anything that it could not be recorded or observed."""
        skipped = any("skip" in shadow for shadow in self.shadows)
        return skipped or bool(self.refusals) or any(self.losses.values())

    def name_nodes(self, nodes):
        """{index: (name, occurrence)}, occurrences counted over all levels."""
        seen, names = collections.Counter(), {}
        for index in sorted(nodes):
            parameters = nodes[index].one("parameters", text_records.Message())
            kernel = parameters.one("kernel")
            if kernel is not None:
                name = short_name(self.strings[self.functions[kernel.one("function", 0)]])
            else:
                name = KIND_NAMES.get(parameters.one("kind"), "other")
            names[index] = (name, seen[name])
            seen[name] += 1
        return names

    def name_of(self, site):
        """(name, occurrence) of the operator whose tensor or gradient a site is, or else of its node."""
        graph, node = site.one("graph", 0), site.one("node", 0)
        if site.one("role") not in OF_OPS:
            return self.names[graph][node]
        if site.one("role") == "ROLE_GRADIENT":
            named, name = self.ops[graph, site.one("op")].one("gradient"), "names"
        else:
            named, name = self.ops[graph, self.nodes[graph][node].one("op", 0)], "name"
        parts = [self.strings[named.one(part)] for part in ("scope", name) if part in named]
        return "/".join(parts), named.one("invocation", 0)

    def payload(self, observation):
        """The copied bytes; None if none were asked for. Missing ones raise KeyError."""
        if "payload" not in observation:
            return None
        pieces = self.pieces[observation.one("payload")]
        data = b"".join(pieces[offset] for offset in sorted(pieces))
        if len(data) != observation.one("payload_bytes", 0):
            raise KeyError(f"{len(data)} of {observation.one('payload_bytes', 0)} bytes of a payload")
        return data

    def observations(self):
        for raw in self.raw:
            site = self.sites[raw.one("site", 0)]
            name, occurrence = self.name_of(site)
            extent = site.one("bytes", site.one("cut_bytes", 0))
            yield Observation(site.one("executable", 0), raw.one("replay"), name, occurrence, operand_name(site),
                              extent, "bytes" in site, raw.one("hash"), self.payload(raw))
