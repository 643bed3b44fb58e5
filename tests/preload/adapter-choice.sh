#!/usr/bin/env bash
# An adapter for another framework than the one in the process is never loaded, and one line says so;
# the job goes on. Of those at hand the one that fits is taken, by its file name.
source "$(dirname "$0")/common.bash"

export XDG_CACHE_HOME=$PWD/cache TORCH_LIKE_LOADED=$PWD/loaded
adapters=$build/jobs/torch_like
mark='torch 9.8.7+fake cxx11abi1'
unknown='graphtap: operators are not known:'
plain torch_ops

# expect_said ADAPTER EXPECTED OPTIONS…: on stderr; whether it is loaded is told by the file loaded.
expect_said() {
  rm -rf run loaded
  HOSTCUDA_TWINS=$(twins_of torch_ops) with_cuda expect_status 0 \
    "$graphtap" run -o run --log warning --adapter "$1" -- "$build/jobs/torch_ops" "${@:3}"
  cmp -s out plain || fail "$1: another output than without graphtap: $(diff plain out)"
  expect_equal "$(grep -v '^graphtap run: ' err)" "$2" "$1: standard error"
}

# expect_operators EXPECTED: how many the graph has.
expect_operators() {
  expect_json run graphs 'sum(o["operators"] for o in r["graphs"][0]["operators"])' "$1"
}

refused="$unknown the adapter does not fit:"
echo "$mark" >text
for adapter in "$adapters"/{wrong_version,wrong_abi,no_mark}.so "$PWD/text" "$PWD/missing"; do
  case $adapter in
    *wrong_version*) what='is for torch 9.8.7+other cxx11abi1' ;;
    *wrong_abi*) what='is for torch 9.8.7+fake cxx11abi0' ;;
    */missing) what='cannot be read' ;;
    *) what='is none' ;;
  esac
  expect_said "$adapter" "$refused $adapter $what, this is $mark"
  [[ ! -e loaded ]] || fail "$adapter: it is loaded: $(<loaded)"
  expect_operators 0
done
expect_said "$adapters/no_symbol.so" "$refused $adapters/no_symbol.so does not work with this graphtap"
expect_operators 0
printf 'graphtap-adapter: %s\0' "$mark" >marked
expect_said "$PWD/marked" "$refused $PWD/marked: file too short"
[[ ! -e cache ]] || fail "another adapter than the one asked for was looked for"
expect_said "$adapters/adapter.so" ""
expect_equal "$(<loaded)" "graphtap-adapter: $mark" "what was loaded"
expect_operators 19
