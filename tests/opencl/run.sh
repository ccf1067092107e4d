#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the run.sh of every folder here and adds up their counts: run.sh [FOLDER...]
set -u
. "$(dirname "$0")/../support/common.sh"
cd "$root/tests/opencl" || exit 70
[ $# -gt 0 ] || set -- */
counts=""
for folder in "$@"; do
  [ -f "${folder%/}/run.sh" ] || continue
  echo "== opencl/${folder%/}"
  output=$(bash "${folder%/}/run.sh" 2>&1)
  code=$?
  printf '%s\n' "$output"
  last=$(tail -n 1 <<<"$output")
  if ! [[ $last =~ ^[0-9]+\ passed,\ [0-9]+\ failed,\ [0-9]+\ skipped$ ]]; then
    echo "FAIL opencl/${folder%/}: it ended without counting (exit code $code)"
    last="0 passed, 1 failed, 0 skipped"
  fi
  counts+="$last"$'\n'
done
passed=0 failed=0 skipped=0
sum_counts passed failed skipped <<<"$counts"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
