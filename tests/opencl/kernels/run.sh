#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the Catch2 program, a process for each file of tests (building kernels keeps one core busy), and counts its test cases:
#
#   run.sh [CATCH2 ARGUMENT...]     with arguments: one process
set -u
. "$(dirname "$0")/../../support/common.sh"
program=$MACEC_BUILD/tests/macec_opencl_kernels
[ -x "$program" ] || { echo "FAIL kernels: no $program"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
"$program" --has-device || skip_folder "no OpenCL device (Debian: pocl-opencl-icd)"
cd "$root" || exit 70
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT
export program results

# run_tests NAME ARGUMENT...: the output, then the counts, in a file.
run_tests() {
  local name=$1 output code passed failed
  shift
  output=$(timeout 600 "$program" "$@" 2>&1)
  code=$?
  number() { sed -nE "$1" <<<"$output" | tail -n 1; }
  passed=$(number 's/^All tests passed \([0-9]+ assertions? in ([0-9]+) test cases?\).*/\1/p')
  [ -n "$passed" ] || passed=$(number 's/^test cases: .* ([0-9]+) passed.*/\1/p')
  failed=$(number 's/^test cases: .* ([0-9]+) failed.*/\1/p')
  if [ "$code" -ne 0 ] && [ "${failed:-0}" -eq 0 ]; then failed=1; fi
  if [ "$code" -ne 0 ]; then output+=$'\n'"FAIL opencl/kernels $name: exit code $code"; fi
  printf '%s\n%d passed, %d failed, 0 skipped\n' "$output" "${passed:-0}" "${failed:-0}" >"$results/$name"
}
export -f run_tests

if [ $# -gt 0 ]; then
  run_tests asked "$@"
else
  for file in tests/opencl/kernels/*_test.cpp; do basename "$file" .cpp; done |
    xargs -P "$MACEC_JOBS" -I {} bash -c 'run_tests {} "-#" "[#{}]"'
fi
passed=0 failed=0 skipped=0
sum_counts passed failed skipped < <(cat "$results"/*)
grep -hvE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' "$results"/*
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
