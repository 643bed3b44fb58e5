#!/usr/bin/env bash
# Recorded hashes are those of what each kernel left, as copied by hand in a graph of its own.
source "$(dirname "$0")/common.bash"

job=(chain_copies --replays 3 --kernels 40 --bytes 20000 --truth truth)
plain "${job[@]}"
probed run 'node:graph#0/*=hash' every:1 "${job[@]}"
expect_values run truth --least 240 --may-lose
expect_counts run 'c["shadows"]' 1
