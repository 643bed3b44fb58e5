#!/usr/bin/env bash
# A child that uses CUDA after a fork has its own file; one that does not leaves none.
source "$(dirname "$0")/common.bash"

record before forks before
expect_equal "$(ls before/*.gtap | wc -l)" 1 "files when only the child uses CUDA"
expect_json before info '[p["ended"] for p in r["processes"]]' "['exit']"
record after forks after
expect_equal "$(ls after/*.gtap | wc -l)" 1 "files when only the parent uses CUDA"
expect_json after info 'r["processes"][0]["executables"][0]["missing_replays"]' 0
