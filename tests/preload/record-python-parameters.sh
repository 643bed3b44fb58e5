#!/usr/bin/env bash
# The names of parameters and buffers that nodes of graphs read or write, as the modules of a Python program
# have them, while they come, go and move; the program's own code is not called for it.
source "$(dirname "$0")/common.bash"

# Also versions that are beside each other without being the program's own.
interpreters=(python3)
for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
  version=$("$python" -c 'import sys; print(sys.version_info >= (3, 9))' 2>/dev/null || true)
  [[ $version == True ]] && interpreters+=("$python")
done

for i in "${!interpreters[@]}"; do
  python=${interpreters[i]}
  with_cuda expect_status 0 "$graphtap" run -o "run$i" --log quiet -- \
    "$python" "$root/tests/jobs/python_parameters.py" "truth$i"
  "$values/parameters.py" "$graphtap" "run$i" "truth$i" 2>faults || fail "$python: $(<faults)"
done

# They are read again also while the program captures nothing.
with_cuda expect_status 0 "$graphtap" run -o replays --log quiet -- \
  python3 "$root/tests/jobs/python_parameters.py" truth --replays
"$values/parameters.py" "$graphtap" replays truth 2>faults || fail "replays: $(<faults)"

"$graphtap" graphs run0 --nodes >shown
grep -q '\.dst  *0x.* parameter layers.0.mean$' shown || fail "a parameter is not shown: $(<shown)"

HOSTCUDA_TWINS=$(twins_of python) with_cuda expect_status 0 "$graphtap" run -o probed --log quiet -p all=hash -- \
  python3 "$root/tests/jobs/python_parameters.py" truth
"$graphtap" tensors list probed --json >sites.json
expect_equal "$(python3 -c '
import json
sites = json.load(open("sites.json"))["processes"][0]["sites"]
print(sorted({site.get("parameter", "-") for site in sites}))')" \
  "['-', 'Layer.weight', 'layers.0.mean', 'layers.0.weight', 'layers.weight', 'weight']" "the sites in parameters"
