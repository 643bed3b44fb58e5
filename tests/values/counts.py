#!/usr/bin/env python3
"""Prints what a run of one process counts of its probes, as JSON.

counts.py GRAPHTAP RUN

launches: of all executables. sampled, lost_replays: replays that were due. observations: that have
arrived. losses: by cause. shadows: made. skips: reasons for none, by number. refusals: sites that no
probe observes, by reason. rules: the counts of each rule.
"""
import collections
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import observed


def counts(graphtap, run):
    seen = observed.Run(observed.dump_lines(graphtap, run))
    return {
        "launches": sum(seen.replays.values()),
        "sampled": len(seen.sampled),
        "lost_replays": len(seen.lost),
        "observations": len(seen.raw),
        "losses": {cause: count for cause, count in seen.losses.items() if count},
        "shadows": sum(1 for shadow in seen.shadows if "skip" not in shadow),
        "skips": collections.Counter(shadow.one("skip") for shadow in seen.shadows if "skip" in shadow),
        "refusals": collections.Counter(refusal.one("reason", 0) for refusal in seen.refusals),
        "rules": [seen.rules[rule] for rule in sorted(seen.rules)],
    }


if __name__ == "__main__":
    if len(sys.argv) != 3:
        print("counts.py GRAPHTAP RUN", file=sys.stderr)
        sys.exit(2)
    print(json.dumps(counts(*sys.argv[1:])))
