#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether the generated text changed: compares what macec writes for the models here and in ../abi/models with the files
# here, and its dumps with compiler/README.md (walk.sh). MACEC_BLESS=1 rewrites them. See README.md of this folder.
set -u
. "$(dirname "$0")/../support/common.sh"
here=$root/tests/golden
[ -x "$MACEC" ] || skip_folder "no macec at $MACEC"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70
passed=0 failed=0

# The model's own part of a source: no pasted kernels and stub texts, no numbers that follow from those.
own_part() {  # MODEL FILE
  awk -v model="$1" '
    /^#include "/ { print; is_head_over = 1 }
    !is_head_over { print }
    $0 == "namespace " model " {" { is_own = 1; print "" }
    is_own { print }
    $0 == "}  // namespace " model { is_own = 0 }' "$2" | mask
}
mask() {
  sed -E 's/(_BUILD )0x[0-9a-f]{8}u/\1(build)/; s/\{1, 0x[0-9a-f]{8}u, 0x[0-9a-f]{16}u,/{1, (build), (layout),/
    s/(0x317700636563616d,)0x[0-9a-f]{16}/\1(layout)/; s/(run_units\(c, .*, )[0-9]+, step/\1(grain), step/'
}

compare() {  # NAME NEW
  if [ "${MACEC_BLESS:-0}" = 1 ]; then cp "$2" "$here/$1"; fi
  if diff -u "$here/$1" "$2" >diff.log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $1: the text changed; MACEC_BLESS=1 accepts it"
    sed -n '3,22s/^/    /p' diff.log
  fi
}

golden() {  # MODEL FLAGS...
  local model=$1 folder=$root/tests/abi/models
  shift
  [ -e "$here/$model.onnx" ] && folder=$here
  if ! "$MACEC" "$folder/$model.onnx" "$@" -o "$model.cpp" >log 2>&1; then
    failed=$((failed + 2))
    echo "FAIL $model: $(head -n 2 log | tr '\n' ' ')"
    return
  fi
  own_part "$model" "$model.cpp" >own.cpp
  sed -n '/^\/\* BEGIN MODEL/,$p' "$model.h" | mask >own.h
  compare "$model.cpp.txt" own.cpp
  compare "$model.h.txt" own.h
}

golden scorer --target=portable
golden meter --target=portable --dim=frames=1..32 --dim=k=2..8 --dim=rows=2..8 --dim=height=32..96:32 --state=h=hn --hooks=steps
golden growing --target=x86-64 --dim=copy=1..2 --dim=p=1..15 --state=past=present --weights=file
golden conv_relu --target=armv8

"$here/walk.sh" >walk.log && passed=$((passed + 1)) || failed=$((failed + 1))
grep -v '^[0-9]* passed' walk.log

echo "$passed passed, $failed failed, 0 skipped"
[ $failed -eq 0 ]
