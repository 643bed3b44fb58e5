#!/usr/bin/env bash
# Case 22: three replays queued without a wait: each is observed, the last is replay 3.
source "$(dirname "$0")/parity.bash"

watched run 'kernel:add.arg1=copy' every:1 --inputs 1,2,3 add:0
shown run '*.arg1' '[(x["replay"], x["values"][0]) for x in o]' "[(1, 1.0), (2, 2.0), (3, 3.0)]"
