#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Random valid graphs against two other programs, then some of them under sanitizers: run.sh [FIRST COUNT]
set -u
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy onnxruntime
have g++ || skip_folder "g++ is not installed"
mkdir -p "$MACEC_BUILD/random"
out=$MACEC_BUILD/random
"$MACEC_PYTHON" "$root/tests/random/run.py" "$@" 2>&1 | tee "$out/graphs.txt"
"$MACEC_PYTHON" "$root/tests/random/run.py" --sanitize "$@" 2>&1 | tee "$out/sanitizers.txt"
for part in graphs sanitizers; do
  tail -n 1 "$out/$part.txt" | grep -qE '^[0-9]+ passed, ' || { echo "FAIL $part: it ended without counting"; echo "0 passed, 1 failed, 0 skipped" >>"$out/$part.txt"; }
done
sum_counts passed failed skipped < <(for part in graphs sanitizers; do tail -n 1 "$out/$part.txt"; done)
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
