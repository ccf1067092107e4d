#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the Catch2 program and counts its test cases: run.sh [CATCH2 ARGUMENT...]
set -u
. "$(dirname "$0")/../../support/common.sh"
program=$MACEC_BUILD/tests/macec_opencl_kernels
[ -x "$program" ] || { echo "FAIL kernels: no $program"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
"$program" --has-device || skip_folder "no OpenCL device (Debian: pocl-opencl-icd)"
cd "$root" || exit 70
output=$(timeout 600 "$program" "$@" 2>&1)
code=$?
printf '%s\n' "$output"
number() { sed -nE "$1" <<<"$output" | tail -n 1; }
passed=$(number 's/^All tests passed \([0-9]+ assertions? in ([0-9]+) test cases?\).*/\1/p')
[ -n "$passed" ] || passed=$(number 's/^test cases: .* ([0-9]+) passed.*/\1/p')
failed=$(number 's/^test cases: .* ([0-9]+) failed.*/\1/p')
if [ "$code" -ne 0 ] && [ "${failed:-0}" -eq 0 ]; then
  echo "FAIL opencl/kernels: exit code $code"
  failed=1
fi
echo "${passed:-0} passed, ${failed:-0} failed, 0 skipped"
[ "$code" -eq 0 ]
