#!/usr/bin/env bash
# Programs that have nothing to do with CUDA print the same with the library in them.
source "$(dirname "$0")/common.bash"

echo 'int main() { return 0; }' >empty.c
tried=0
same() {
  command -v "$1" >/dev/null || return 0
  tried=$((tried + 1))
  local plain preloaded
  plain=$("$@" 2>&1)
  preloaded=$(GRAPHTAP_OUT=$PWD/run1 LD_PRELOAD=$build/lib/libgraphtap.so "$@" 2>&1)
  expect_equal "$preloaded" "$plain" "output of $*"
}
same bash -c 'for i in 1 2 3; do echo $i | cat; done'
same python3 -c 'import ctypes, json, ssl; print(ctypes.CDLL(None).getpid() > 0, json.dumps([1]))'
same gcc -O2 -Wall -S -o - empty.c
same g++ --version
same git --version
same node -e 'console.log(process.version, require("crypto").randomBytes(4).length)'
same sh -c 'ls / | sort'
((tried >= 4)) || fail "only $tried programs were found"
[[ ! -e run1 ]] || fail "a run folder was made"
