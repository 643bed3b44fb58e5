#!/usr/bin/env bash
# Unless it is told which, graphtap takes the adapter in the user's cache that has the right name; if
# there is none it makes one, and says once by which command if that fails. Not if it is told not to.
source "$(dirname "$0")/common.bash"

export TORCH_LIKE_LOADED=$PWD/loaded XDG_CACHE_HOME=$PWD/cache HOME=$PWD/home
adapter=$build/jobs/torch_like/adapter.so
name=libgraphtap_torch-9.8.7+fake-abi1-$("$root/scripts/build-adapter" --key).so
plain torch_ops

# expect_said EXPECTED OPERATORS OPTIONS…: on stderr, and how many operators the graph has.
expect_said() {
  rm -rf run loaded
  HOSTCUDA_TWINS=$(twins_of torch_ops) with_cuda expect_status 0 \
    "$graphtap" run -o run --log "${log:-warning}" -- "$build/jobs/torch_ops" "${@:3}"
  cmp -s out plain || fail "another output than without graphtap: $(diff plain out)"
  expect_equal "$(grep -v '^graphtap run: ' err)" "$1" "standard error"
  expect_json run graphs 'sum(o["operators"] for o in r["graphs"][0]["operators"])' "$2"
}

# This framework has no headers, so that nothing can be made for it.
none='graphtap: operators are not known: there is no adapter for torch 9.8.7+fake cxx11abi1, to be made by: '
none+="$root/scripts/build-adapter --torch '$build/jobs/torch_like/torch'"
GRAPHTAP_ADAPTER=off expect_said "" 0
GRAPHTAP_ADAPTER=off expect_said "" 0 --late
[[ ! -e cache && ! -e home/.cache ]] || fail "an adapter was to be made"
expect_said "$none" 0
[[ -e cache/graphtap ]] || fail "no adapter was to be made"
log=quiet expect_said "" 0
rm -r cache
expect_said "$none" 0 --late
[[ ! -e cache ]] || fail "an adapter was to be made inside a capture"

# Of other sources, of another version, for other strings.
for folder in cache/graphtap home/.cache/graphtap; do
  mkdir -p "$folder"
  for other in "${name%-*}-00000000.so" "${name/9.8.7/9.8.8}" "${name/abi1/abi0}"; do
    cp "$adapter" "$folder/$other"
  done
  expect_said "$none" 0
  cp "$adapter" "$folder/$name"
  for option in "" --late; do expect_said "" 19 ${option:+"$option"}; done
  GRAPHTAP_ADAPTER=off expect_said "" 0
  [[ ! -e loaded ]] || fail "an adapter is loaded, though none is to be"
  unset XDG_CACHE_HOME # as on most machines: the next round
done
