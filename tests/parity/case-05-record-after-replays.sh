#!/usr/bin/env bash
# Cases 5, 20, 21: nothing is there of a replay that was not; each replay has its own values, and a
# stream of the job's own is as good as another.
source "$(dirname "$0")/parity.bash"

watched run 'kernel:add.arg1=copy' 1,2,7 --inputs 0,1 add:10
shown run '*.arg1' '[(x["replay"], x["values"]) for x in o]' "[(1, [10.0, 10.0, 10.0, 10.0]), (2, [11.0, 11.0, 11.0, 11.0])]"
