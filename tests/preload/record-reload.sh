#!/usr/bin/env bash
# A process that unloads the driver and loads it again goes on to be recorded.
source "$(dirname "$0")/common.bash"

plain reloads
probed run1 'all=hash' every:1 reloads
expect_json run1 info '[(p["ended"], [x["replays"] for x in p["executables"]], p["probes"]["rules"][0]["observed"])
  for p in r["processes"]]' "[('exit', [3, 3, 3], 9)]"
