#!/usr/bin/env bash
# `cmake --install` gives the program, the library and share/graphtap; the program finds the library.
# install.sh CMAKE BUILD_FOLDER
set -euo pipefail
prefix=$(mktemp -d)
trap 'rm -rf "$prefix"' EXIT

"$1" --install "$2" --prefix "$prefix" >/dev/null
for file in bin/graphtap lib/libgraphtap.so share/graphtap/{README.md,LICENSE,CHANGELOG.md} \
  share/graphtap/proto/trace.proto share/graphtap/docs/environment.md; do
  [[ -f $prefix/$file ]] || { echo "not installed: $file"; exit 1; }
done
others=$(cd "$prefix" && find . -type f ! -path './share/graphtap/*' | LC_ALL=C sort | xargs)
[[ $others == './bin/graphtap ./lib/libgraphtap.so' ]] || { echo "too much installed: $others"; exit 1; }
if readelf -d "$prefix/bin/graphtap" "$prefix/lib/libgraphtap.so" | grep -E 'R(UN)?PATH'; then exit 1; fi

# A program that does not use CUDA: nothing but the launch record.
"$prefix/bin/graphtap" run -o "$prefix/run" -- sh -c 'echo "$LD_PRELOAD"' >"$prefix/out" 2>"$prefix/err"
[[ $(<"$prefix/out") == "$prefix/lib/libgraphtap.so" ]]
grep -q 'nothing recorded' "$prefix/err"
[[ $(ls "$prefix/run") == launch.json ]]
