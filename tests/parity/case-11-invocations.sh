#!/usr/bin/env bash
# Cases 11, 12, 14: invocations count the nodes of a name in the order of capture, across streams;
# all of one replay carry its number.
source "$(dirname "$0")/parity.bash"

watched run 'kernel:add.arg1=copy' 1 --inputs 0 add:1 add:2 add:3
shown run '*.arg1' '[(x["invocation"], x["replay"], x["values"][0]) for x in o]' \
  "[(0, 1, 1.0), (1, 1, 3.0), (2, 1, 6.0)]"
watched names 'all.arg1=copy' 1 --inputs 0 hidden:1 logits:1 hidden:1
shown names '*.arg1' '[(x["name"], x["invocation"]) for x in o]' \
  "[('hidden.arg1', 0), ('logits.arg1', 0), ('hidden.arg1', 1)]"
watched side 'kernel:add.arg1=copy' 1 --inputs 0 side:20 add:10
shown side '*.arg1' '[(x["invocation"], x["values"][0]) for x in o]' "[(0, 20.0), (1, 10.0)]"
