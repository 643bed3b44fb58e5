#!/usr/bin/env bash
# What the job finds in its environment.
source "$(dirname "$0")/common.bash"
library=$build/lib/libgraphtap.so

# value VARIABLE OPTIONS…: what the job sees, or "unset".
value() {
  "$graphtap" run --log quiet "${@:2}" -- bash -c 'name=$0; echo "${!name-unset}"' "$1"
}

expect_equal "$(value GRAPHTAP_OUT -o a)" "$PWD/a" "absolute folder"
expect_equal "$(value GRAPHTAP_NAME --name 'a b')" "a b" "option"
expect_equal "$(GRAPHTAP_NAME=old value GRAPHTAP_NAME --name new)" new "option over variable"
expect_equal "$(GRAPHTAP_NAME=old value GRAPHTAP_NAME)" old "variable alone"
expect_equal "$(value GRAPHTAP_META_a --meta a=b=c --meta d=)" "b=c" "metadata"
expect_equal "$(value GRAPHTAP_META_d --meta a=b=c --meta d=)" "" "second metadata"
[[ $(value GRAPHTAP_RUN_ID) =~ ^[0-9a-f]{16}$ ]] || fail "run id"
[[ $(GRAPHTAP_RUN_ID=x value GRAPHTAP_RUN_ID) != x ]] || fail "run id of another run"

# Ours is last and once; others stay.
libc=$(ldconfig -p | sed -nE 's/.*libm\.so\.6 .*x86-64.* => //p' | head -1)
expect_equal "$(value LD_PRELOAD)" "$library" "preload"
preload() { env LD_PRELOAD="$1" "$graphtap" run --log quiet -- printenv LD_PRELOAD; }
expect_equal "$(preload "$libc")" "$libc:$library" "preload with another"
expect_equal "$(preload "$library $libc")" "$libc:$library" "preload twice"

expect_equal "$(value NVTX_INJECTION64_PATH)" "$library" "NVTX"
export NVTX_INJECTION64_PATH=/other.so
expect_status 0 "$graphtap" run -- printenv NVTX_INJECTION64_PATH
expect_equal "$(<out)" /other.so "NVTX of another tool"
expect_equal "$(grep -c "NVTX ranges are not recorded" err)" 1 "lines on NVTX"
