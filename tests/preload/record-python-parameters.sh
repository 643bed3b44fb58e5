#!/usr/bin/env bash
# The names of parameters and buffers that nodes of graphs read or write, as the modules of a Python program
# have them, while they come, go and move; the program's own code is not called for it.
source "$(dirname "$0")/common.bash"

for python in $(pythons); do
  rm -rf run
  with_cuda expect_status 0 "$graphtap" run -o run --log quiet -- \
    "$python" "$root/tests/jobs/python_parameters.py" truth
  "$values/parameters.py" "$graphtap" run truth 2>faults || fail "$python: $(<faults)"
done

# They are read again also while the program captures nothing.
with_cuda expect_status 0 "$graphtap" run -o replays --log quiet -- \
  python3 "$root/tests/jobs/python_parameters.py" truth --replays
"$values/parameters.py" "$graphtap" replays truth 2>faults || fail "replays: $(<faults)"

"$graphtap" graphs run --nodes >shown
grep -q '\.dst  *0x.* parameter layers.0.mean$' shown || fail "a parameter is not shown: $(<shown)"

HOSTCUDA_TWINS=$(twins_of python) with_cuda expect_status 0 "$graphtap" run -o probed --log quiet -p all=hash -- \
  python3 "$root/tests/jobs/python_parameters.py" truth
"$graphtap" tensors list probed --json >sites.json
expect_equal "$(python3 -c '
import json
sites = json.load(open("sites.json"))["processes"][0]["sites"]
print(sorted({site.get("parameter", "-") for site in sites}))')" \
  "['-', 'Layer.weight', 'layers.0.mean', 'layers.0.weight', 'layers.weight', 'weight']" "the sites in parameters"
