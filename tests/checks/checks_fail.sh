#!/usr/bin/env bash
# The checks of the sources find what they look for: each runs on a small tree with one fault.
set -euo pipefail
scripts=$(cd "$(dirname "$0")/../../scripts" && pwd)
tree=$(mktemp -d)
out=$(mktemp)
trap 'rm -rf "$tree" "$out"' EXIT
mkdir -p "$tree"/{scripts,proto,interpose/record,analyzer/model,tests}
cp "$scripts"/{check-layers,check-python,check-sizes,check-words,format} "$tree/scripts/"
cp "$scripts/../.clang-format" "$tree/"

failed=0
# expect CHECK FILE TEXT [OPTION]: the check passes without the file, and fails with it, naming it.
expect() {
  local check=$1 file=$2 text=$3 options=("${@:4}")
  "$tree/scripts/$check" "${options[@]}" >/dev/null 2>&1 || { echo "$check fails on a clean tree"; failed=1; }
  printf '%s' "$text" >"$tree/$file"
  if "$tree/scripts/$check" "${options[@]}" >"$out" 2>&1 || ! grep -q "$file" "$out"; then
    echo "$check does not see $file"
    failed=1
  fi
  rm -f "$tree/$file"
}

lines() { for ((i = 0; i < $1; i++)); do printf '  f();\n'; done; }

expect format proto/a.cc $'int  a;\n' --check
expect check-layers interpose/record/a.cc $'#include <cuda.h>\n'
expect check-layers interpose/record/a.cc $'#include "analyzer/model/run.h"\n'
expect check-layers analyzer/model/a.cc $'#include "interpose/record/records.h"\n'
expect check-layers interpose/record/a.cc $'void* a = dlsym(nullptr, "b");\n'
expect check-sizes proto/a.h "// A."$'\n'"$(lines 150)"
expect check-sizes proto/a.h $'#pragma once\n'
expect check-sizes proto/a.cc "void A() {"$'\n'"$(lines 59)"$'\n}\n'
expect check-sizes tests/a.cc "TEST(A, B) {"$'\n'"$(lines 39)"$'\n}\n'
expect check-sizes tests/a.sh "$(lines 51)"$'\n'
expect check-words proto/a.cc "// TO""DO: later"$'\n'
expect check-words proto/a.cc "// see iss""ue 3"$'\n'
expect check-words proto/a.cc "// http""s://example.com"$'\n'
expect check-python tests/a.py $'import os\n'
expect check-python tests/a $'#!/usr/bin/env python3\nprint(a)\n'
exit "$failed"
