# What the scripts share: sourced with the build folder as $1. Leaves the script in an empty folder.
set -euo pipefail
build=$(cd "$1" && pwd)
graphtap=$build/bin/graphtap
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
values=$root/tests/values # the checks of observed values
unset LD_PRELOAD NVTX_INJECTION64_PATH "${!GRAPHTAP_@}"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

fail() {
  echo "FAILED: $*" >&2
  exit 1
}

# expect_equal ACTUAL EXPECTED WHAT
expect_equal() { [[ $1 == "$2" ]] || fail "$3: expected '$2', got '$1'"; }

# expect_status STATUS COMMAND…: runs it; its output stays in the files out and err.
expect_status() {
  local expected=$1 status=0
  shift
  "$@" >out 2>err || status=$?
  [[ $status == "$expected" ]] || fail "'$*': expected status $expected, got $status: $(<err)"
}

# Where the driver is: the stand-in's folder or, on a machine with a GPU, the one in $CUDA_LIBRARIES.
cuda=${CUDA_LIBRARIES:-$build/hostcuda}

# with_cuda COMMAND…: with that driver and, on the stand-in, the twins named in HOSTCUDA_TWINS. A sanitizer's
# runtime, if one is named, comes before all else into programs that have none.
with_cuda() {
  if [[ -n ${SANITIZER_RUNTIME:-} ]]; then
    LD_PRELOAD=$SANITIZER_RUNTIME LD_LIBRARY_PATH=$cuda "$@"
  else
    LD_LIBRARY_PATH=$cuda "$@"
  fi
}

on_stand_in() { [[ $cuda == "$build/hostcuda" ]]; }

# needs_stand_in: said by a script of what no real driver does, such as to fail where it is told to.
needs_stand_in() { on_stand_in || fail "this test is for the stand-in"; }

# record RUN JOB ARGUMENTS…: the job of tests/jobs under graphtap; its output in out, err.
record() {
  local run=$1 job=$2
  shift 2
  local twins=$build/hostcuda/${job}_twins.so
  [[ -e $twins ]] || twins= # a job without kernels
  HOSTCUDA_TWINS=$twins with_cuda \
    expect_status 0 "$graphtap" run -o "$run" --log quiet -- "$build/jobs/$job" "$@"
}

# expect_json RUN COMMAND EXPRESSION EXPECTED: a Python expression over `r`, the command's report.
expect_json() {
  local seen
  "$graphtap" "$2" "$1" --json >report.json 2>report.err || fail "$2 $1: $(<report.err)"
  seen=$(python3 -c "import json; r = json.load(open('report.json')); print(($3))")
  expect_equal "$seen" "$4" "$2 $1: $3"
}

# pythons: each version of CPython at hand, at last the program's own.
pythons() {
  local python
  for python in /usr/bin/python3 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.*/bin/python3; do
    if "$python" -c 'import sys; sys.exit(sys.version_info < (3, 9))' 2>/dev/null; then echo "$python"; fi
  done
  echo python3
}

# twins_of JOB: of the job's kernels and of graphtap's probes.
twins_of() {
  local twins=$build/hostcuda/probe_twins.so
  [[ -e $build/hostcuda/$1_twins.so ]] && twins+=:$build/hostcuda/$1_twins.so
  echo "$twins"
}

# plain JOB ARGUMENTS…: without graphtap; its output in plain, its exit status in plain_status.
plain() {
  plain_status=0
  HOSTCUDA_TWINS=$(twins_of "$1") with_cuda "$build/jobs/$1" "${@:2}" >plain || plain_status=$?
  return "$plain_status"
}

# probed RUN SPECIFICATION REPLAYS JOB ARGUMENTS…: as record, with probes; the output must be that in
# plain, the exit status that in $status.
status=0
probed() {
  local run=$1 specification=$2 replays=$3 job=$4
  shift 4
  HOSTCUDA_TWINS=$(twins_of "$job") with_cuda expect_status "$status" "$graphtap" run -o "$run" \
    --log quiet -p "$specification" --replays "$replays" -- "$build/jobs/$job" "$@"
  cmp -s out plain || fail "$run: another output than without graphtap: $(diff plain out)"
}

# expect_values RUN TRUTH OPTIONS…: each recorded value is what the job says (check_values.py).
expect_values() {
  python3 "$values/check_values.py" "$graphtap" "$@" >values.json 2>values.err ||
    fail "$1: $(<values.json) $(<values.err)"
}

# expect_counts RUN EXPRESSION EXPECTED: a Python expression over `c`, what counts.py prints.
expect_counts() {
  local seen
  python3 "$values/counts.py" "$graphtap" "$1" >counts.json 2>counts.err || fail "$1: $(<counts.err)"
  seen=$(python3 -c "import json; c = json.load(open('counts.json')); print(($2))")
  expect_equal "$seen" "$3" "$1: $2 of $(<counts.json)"
}

# expect_sites_of JOB SPECIFICATION EXPECTED: the sites in the folder run then, in the order of the nodes.
expect_sites_of() {
  rm -rf run
  probed run "$2" 1 "$1"
  "$graphtap" tensors list run --limit 0 --json >sites.json
  expect_equal "$(python3 -c "
import json
for process in json.load(open('sites.json'))['processes']:
    print(*(f\"{site['name']}[{site['invocation']}]\" for site in process['sites']))")" "$3" "$2"
}
