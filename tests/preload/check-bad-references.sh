#!/usr/bin/env bash
# A reference that is none is refused before anything starts, in one line that names it; by hand the
# job goes on unrecorded.
source "$(dirname "$0")/common.bash"

mkdir empty other
echo text >text.npy
echo text >text.safetensors
echo text >values.txt
echo text >other/job.gtap
# refused PATH WHAT…: 125, one line with the path and each text.
refused() {
  local path=$1
  expect_status 125 "$graphtap" run -o run -p "all=check:$path" -- true
  [[ ! -e run ]] || fail "$path: a run folder was made"
  expect_equal "$(wc -l <err)" 1 "$path: lines"
  for text in "$@"; do grep -qF "$text" err || fail "$path: no '$text' in $(<err)"; done
}
refused nowhere "no such file or folder: allowed is a run folder, a .npy or a .safetensors file"
refused empty "no run file in it"
refused other/job.gtap "allowed is a run folder"
refused other "nothing of a run file in it"
refused text.npy "not a .npy file"
refused text.safetensors "less than eight bytes"
refused values.txt "allowed is a run folder"
expect_status 125 "$graphtap" run -o other --overwrite -p all=check:other -- true
expect_status 125 "$graphtap" run -o run -p all=check -- true
grep -qF "'check' has nothing to compare with: allowed is check:PATH, or a PATH in GRAPHTAP_CHECK" err ||
  fail "$(<err)"
expect_status 125 "$graphtap" run -o run -p all=check --check nowhere -- true
grep -qF "nowhere: no such file" err || fail "$(<err)"
expect_status 125 env GRAPHTAP_CHECK_ABORT=yes "$graphtap" run -o run -- true
grep -qF "GRAPHTAP_CHECK_ABORT='yes': allowed is 0 or 1" err || fail "$(<err)"

plain mirror --case kernel
HOSTCUDA_TWINS=$(twins_of mirror) with_cuda expect_status 0 env GRAPHTAP_PROBE=all=check:text.npy \
  GRAPHTAP_OUT=run LD_PRELOAD="$build/lib/libgraphtap.so" "$build/jobs/mirror" --case kernel
cmp -s out plain || fail "another output with a bad reference"
grep -q "^graphtap: not recording: .*/text.npy: not a .npy file" err || fail "not said: $(<err)"
[[ ! -e run ]] || fail "a run folder was made"
