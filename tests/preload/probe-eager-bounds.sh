#!/usr/bin/env bash
# What bounds an eager step: a range whose text matches, or the first capture; which of them are recorded.
source "$(dirname "$0")/common.bash"

export GRAPHTAP_ADAPTER=$build/jobs/torch_like/adapter.so
what='op:*=digest+copy; grad:*=digest+copy'

# bounded STEP RUN REPLAYS: the job; its steps are bounded by ranges that match STEP.
bounded() { GRAPHTAP_EAGER=1 GRAPHTAP_STEP=$1 probed "$2" "$what" "$3" torch_ops --eager "${@:4}"; }

# Chosen steps alone; a second range that is none.
plain torch_ops --eager
bounded 'st?p' some 2,4
expect_json some info '[(d["replay"], d["sampled"]) for d in r["processes"][0]["executables"][0]["due"]]' \
  "[(2, True), (4, True)]"
expect_json some info 'r["processes"][0]["executables"][0]["replays"]' 5
bounded forward inner 1
expect_json inner info '[(g["key"], g["nodes"]) for g in r["processes"][0]["graphs"]]' "[('forward#0', 3)]"
bounded '*' nested 2 # what is inside a step is none, recorded or not
expect_json nested info '[(x["key"], x["replays"], len(x["due"])) for x in r["processes"][0]["executables"]]' \
  "[('step#0', 5, 1)]"
bounded nothing nothing 1
expect_json nothing info 'r["processes"][0]["graphs"]' "[]"

# Without a range, what precedes the first capture, or the end, however that comes.
bounded '' unbounded 1
expect_json unbounded info '[(g["key"], g["nodes"]) for g in r["processes"][0]["graphs"]]' "[('eager#0', 115)]"
bounded '' left 1 --leave
expect_json left info '[d["sampled"] for d in r["processes"][0]["executables"][0]["due"]]' "[True]"
plain torch_ops --warm
GRAPHTAP_EAGER=1 probed warm "$what" every:1 torch_ops --warm
expect_json warm info '[(x["key"], x["replays"], sum(d["sampled"] for d in x["due"]))
    for x in r["processes"][0]["executables"]]' "[('eager#0', 1, 1), ('graph#0', 5, 5)]"

# A range that ends inside a capture has the values that it had before.
plain torch_ops --cross
GRAPHTAP_EAGER=1 GRAPHTAP_STEP=cross probed crossed "$what" 1 torch_ops --cross
expect_json crossed info '[(x["key"], [d["sampled"] for d in x["due"]]) for x in r["processes"][0]["executables"]]' \
  "[('cross#0', [True]), ('cross#0', [True])]"

# Nothing is to be observed.
GRAPHTAP_EAGER=1 record bare torch_ops --eager
expect_json bare info '[r["processes"][0]["graphs"], r["damage"]["files"][0]["losses"]]' "[[], []]"
