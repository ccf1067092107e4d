#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Damaged model files: run.sh [COUNT [FIRST]]; 50,000 cases in the full tier, else 1,000.
#
# Builds macec with the address and undefined-behaviour sanitizers into build/asan, and lets fuzz_import go through the cases. When
# a case ends the process, its model is kept, it counts as failed, and the next process begins behind it.
set -u
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
count=${1:-$([ "$MACEC_TIER" = full ] && echo 50000 || echo 1000)}
first=${2:-0}
build=${MACEC_ASAN_BUILD:-$root/build/asan}
work=$MACEC_BUILD/fuzz
keep=$MACEC_BUILD/fuzz/bad
rm -rf "$work"
mkdir -p "$work/in" "$work/out" "$keep"

launcher=()
have ccache && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
{ cmake -S "$root" -B "$build" -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo "${launcher[@]}" \
    -DCMAKE_CXX_FLAGS="-O1 -g1 -fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer" &&
  ninja -C "$build" -j "$MACEC_JOBS" fuzz_import; } >"$work/build.log" 2>&1 ||
  { tail -n 30 "$work/build.log"; echo "FAIL fuzz: fuzz_import does not build"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

"$MACEC_PYTHON" "$root/tests/fuzz/seeds.py" "$work" >"$work/seeds.txt" || { echo "FAIL fuzz: seeds.py"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
mapfile -t seeds <"$work/seeds.txt"
# External data that a seed names is there to be read.
for folder in "$MACEC_SHARED"/cases/B42*/; do
  [ -d "$folder" ] && cp -r --no-preserve=mode "$folder"/{weights.bin,sub} "$work/in/"
done
echo "${#seeds[@]} seeds, cases $first to $((first + count - 1))"

export ASAN_OPTIONS=hard_rss_limit_mb=3000:max_allocation_size_mb=1024:detect_leaks=1:abort_on_error=0
export UBSAN_OPTIONS=print_stacktrace=1
end=$((first + count)) at=$first failed=0
while [ "$at" -lt "$end" ] && [ "$failed" -lt 50 ]; do
  "$build/tests/fuzz_import" --work "$work" --keep "$keep" --first "$at" --count $((end - at)) "${seeds[@]}" >"$work/output.txt" 2>"$work/errors.txt"
  bad=$(grep -c '^BAD ' "$work/output.txt")
  failed=$((failed + bad))
  grep '^BAD ' "$work/output.txt" | sed 's/^BAD /FAIL fuzz case /'
  grep '^compiled' "$work/output.txt"
  now=$(cat "$work/now.txt" 2>/dev/null || echo "$at")
  if [ "$now" = done ]; then
    if grep -q 'LeakSanitizer' "$work/errors.txt"; then
      echo "FAIL fuzz: memory leaks"
      head -n 30 "$work/errors.txt"
      failed=$((failed + 1))
    fi
    break
  fi
  echo "FAIL fuzz case $now: the process ended; its model is $keep/$now.onnx"
  grep -E 'ERROR|runtime error|no end|#[0-9] .*(macec|compiler|passes|targets)' "$work/errors.txt" | head -n 8
  cp "$work/in/case.onnx" "$keep/$now.onnx"
  cp "$work/errors.txt" "$keep/$now.txt"
  failed=$((failed + 1))
  at=$((now + 1))
done
[ "$failed" -lt "$count" ] || failed=$count
echo "$((count - failed)) passed, $failed failed, 0 skipped"
[ "$failed" -eq 0 ]
