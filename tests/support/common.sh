#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Where everything is, for the run.sh of each test folder: `. "$(dirname "$0")/../support/common.sh"`.
#
#   MACEC_SHARED   the folder with cases/, zoo/ and tools/   (../shared beside the repository)
#   MACEC_BUILD    the build folder                          (build/ci)
#   MACEC          the compiler                              (found in the build folder)
#   MACEC_CACHE    things made once, outside the repository  (~/.cache/macec)
#   MACEC_PYTHON   a Python with numpy, onnx, onnxruntime    (the venv in the cache)
#   MACEC_JOBS     processes at a time                       (the number of cores)
#   MACEC_TIER     quick, ci or full                         (ci)
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export MACEC_SHARED=${MACEC_SHARED:-$(dirname "$root")/shared}
export MACEC_BUILD=${MACEC_BUILD:-$root/build/ci}
export MACEC_CACHE=${MACEC_CACHE:-${HOME:-/root}/.cache/macec}
export MACEC_PYTHON=${MACEC_PYTHON:-$MACEC_CACHE/venv/bin/python}
export MACEC_JOBS=${MACEC_JOBS:-$(nproc)}
export MACEC_TIER=${MACEC_TIER:-ci}
export PYTHONPATH="$root/tests/support${PYTHONPATH:+:$PYTHONPATH}"
export PYTHONDONTWRITEBYTECODE=1
if [ -z "${MACEC:-}" ]; then
  for candidate in "$MACEC_BUILD/macec" "$MACEC_BUILD/bin/macec" "$MACEC_BUILD/compiler/macec"; do
    [ -f "$candidate" ] && [ -x "$candidate" ] && MACEC=$candidate && break
  done
fi
export MACEC=${MACEC:-$MACEC_BUILD/macec}

# skip_folder REASON: for a run.sh that cannot do anything here.
skip_folder() {
  echo "SKIP $(basename "$(cd "$(dirname "$0")" && pwd)"): $1"
  echo "0 passed, 0 failed, 1 skipped"
  exit 0
}

have() { command -v "$1" >/dev/null 2>&1; }

# need_python MODULE...: skips the folder when MACEC_PYTHON lacks one of them.
need_python() {
  [ -x "$MACEC_PYTHON" ] || skip_folder "no Python with numpy and onnx at $MACEC_PYTHON"
  local module
  for module in "$@"; do
    "$MACEC_PYTHON" -c "import $module" 2>/dev/null || skip_folder "the Python package $module is missing"
  done
}

# Adds up the last lines of several outputs: sum_counts passed failed skipped < outputs (sets the three named variables).
sum_counts() {
  local p=0 f=0 s=0 line
  while IFS= read -r line; do
    if [[ $line =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed,\ ([0-9]+)\ skipped$ ]]; then
      p=$((p + BASH_REMATCH[1])) f=$((f + BASH_REMATCH[2])) s=$((s + BASH_REMATCH[3]))
    fi
  done
  printf -v "$1" %d "$p"
  printf -v "$2" %d "$f"
  printf -v "$3" %d "$s"
}

# run_checks FOLDER OUTPUTS CHECK...: runs FOLDER/check_CHECK.py one after the other, keeps what they print in OUTPUTS, prints the sum of their
# counts; fails if one of them does.
run_checks() {
  local here=$1 outputs=$2 check from passed=0 failed=0 skipped=0
  shift 2
  mkdir -p "$outputs"
  rm -f "$outputs"/*
  for check in "$@"; do
    echo "== $check"
    from=$SECONDS
    "$MACEC_PYTHON" "$here/check_$check.py" 2>&1 | tee "$outputs/$check"
    tail -n 1 "$outputs/$check" | grep -qE '^[0-9]+ passed, ' || { echo "FAIL $check: it ended without counting"; echo "0 passed, 1 failed, 0 skipped" >>"$outputs/$check"; }
    echo "== $check: $((SECONDS - from)) s"
  done
  sum_counts passed failed skipped < <(for check in "$@"; do tail -n 1 "$outputs/$check"; done)
  echo "$passed passed, $failed failed, $skipped skipped"
  [ "$failed" -eq 0 ]
}
