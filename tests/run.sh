#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds macec and runs every test there is.
#
#   tests/run.sh [--quick | --full] [FOLDER...]
#
#   --quick    the folders and sizes that are done in five minutes
#   --full     everything, the 50,000 mutated files and the whole compiler matrix included
#   FOLDER     only these of tests/
#
# Installs the packages that it needs (tests/packages.sh; MACEC_SKIP_INSTALL=1: none), and numpy, onnx and onnxruntime into a
# virtual environment in ~/.cache/macec, where models and ONNX's own tests are kept too. support/common.sh lists the variables
# that move things. A folder is tested by its run.sh, or by the CTest tests whose names begin with its name. Ends with seconds per
# folder, what was skipped and why, and `N passed, N failed, N skipped`; the exit code is 1 if anything failed.
set -u
MACEC_TIER=ci
folders=()
for argument in "$@"; do
  case $argument in
    --quick) MACEC_TIER=quick ;;
    --full) MACEC_TIER=full ;;
    -h | --help) sed -n '3,15s/^# \{0,1\}//p' "$0"; exit 0 ;;
    -*) echo "run.sh: no option '$argument'; there are --quick and --full" >&2; exit 2 ;;
    *) folders+=("$argument") ;;
  esac
done
export MACEC_TIER
. "$(dirname "${BASH_SOURCE[0]}")/support/common.sh"
. "$root/tests/packages.sh"
cd "$root" || exit 70

# In the order of what is quick to say that something is wrong.
every_folder="house unit filetests errors verify contracts ops kernels opencl golden cases abi conformance models fuzz random examples"
quick_folders="house unit filetests errors verify contracts golden cases"
if [ ${#folders[@]} -eq 0 ]; then
  [ "$MACEC_TIER" = quick ] && read -ra folders <<<"$quick_folders" || read -ra folders <<<"$every_folder"
fi

logs=$MACEC_BUILD/logs
mkdir -p "$logs"
seconds_table=()
started=$SECONDS

# timed NAME COMMAND...: runs it, and notes its seconds.
timed() {
  local name=$1 from=$SECONDS code
  shift
  "$@"
  code=$?
  seconds_table+=("$(printf '%6d s  %s' $((SECONDS - from)) "$name")")
  return $code
}

install_everything() {
  install_build_packages || return 1
  install_test_packages || echo "note: without the test packages, folders that need them skip tests"
  [ "${MACEC_SKIP_PYTHON:-0}" = 1 ] || install_python || echo "note: no Python packages; folders that need them skip tests"
}

install_python() {
  local modules="import numpy, onnx, onnxruntime; assert onnx.__version__ == '1.23.2'"
  [ -x "$MACEC_PYTHON" ] && "$MACEC_PYTHON" -c "$modules" 2>/dev/null && return 0
  [ "$MACEC_PYTHON" = "$MACEC_CACHE/venv/bin/python" ] || return 1
  echo "Installing numpy, onnx and onnxruntime into $MACEC_CACHE/venv (about 60 MB to download)"
  mkdir -p "$MACEC_CACHE"
  { python3 -m venv "$MACEC_CACHE/venv" &&
    "$MACEC_CACHE/venv/bin/pip" install -q numpy onnx==1.23.2 onnxruntime; } >"$logs/python.log" 2>&1 ||
    { tail -n 5 "$logs/python.log"; return 1; }
}

build() {
  local launcher=()
  have ccache && launcher=(-DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S "$root" -B "$MACEC_BUILD" -G Ninja -DCMAKE_BUILD_TYPE=Release -DMACEC_WERROR=ON "${launcher[@]}" \
    >"$logs/configure.log" 2>&1 || { tail -n 30 "$logs/configure.log"; return 1; }
  ninja -C "$MACEC_BUILD" -j "$MACEC_JOBS" >"$logs/build.log" 2>&1 || { grep -A 20 -m 3 FAILED "$logs/build.log"; return 1; }
}

# The number of CTest tests whose names begin with a folder's name.
ctest_count() { ctest --test-dir "$MACEC_BUILD" -N -R "^$1([-_.]|\$)" 2>/dev/null | sed -n 's/^Total Tests: //p'; }

run_ctest() {
  ctest --test-dir "$MACEC_BUILD" -R "^$1([-_.]|\$)" -j "$MACEC_JOBS" --output-on-failure --timeout 600 |
    sed -E 's/^([0-9]+)% tests passed, ([0-9]+) tests? failed out of ([0-9]+)/\2 \3 &/;T;s/^([0-9]+) ([0-9]+) .*/CTEST \1 \2/' |
    awk '/^CTEST /{f = $2; t = $3; next} {print} END {printf "%d passed, %d failed, 0 skipped\n", t - f, f}'
}

# run_folder NAME: output to the log; a folder that ends without the line of counts has failed.
run_folder() {
  local log=$logs/$1.log script=$root/tests/$1/run.sh
  if [ -f "$script" ]; then
    bash "$script" >"$log" 2>&1
  else
    run_ctest "$1" >"$log" 2>&1
  fi
  tail -n 1 "$log" | grep -qE '^[0-9]+ passed, [0-9]+ failed, [0-9]+ skipped$' ||
    { echo "FAIL $1: it ended without counting"; echo "0 passed, 1 failed, 0 skipped"; } >>"$log"
  echo "$1: $(tail -n 1 "$log")"
  grep -E '^FAIL ' "$log" | head -n 20
  if ! tail -n 1 "$log" | grep -q ' 0 failed,'; then echo "  the whole output is in $log"; fi
}

exists() { [ -f "$root/tests/$1/run.sh" ] || [ "$(ctest_count "$1" | grep . || echo 0)" -gt 0 ]; }

timed install install_everything || { echo "0 passed, 1 failed, 0 skipped"; exit 1; }
timed build build || { echo "FAIL build: see $logs"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
ran=()
for folder in "${folders[@]}"; do
  if exists "$folder"; then
    timed "$folder" run_folder "$folder"
    ran+=("$logs/$folder.log")
  else
    echo "$folder: no tests there"
  fi
done

passed=0 failed=0 skipped=0
[ ${#ran[@]} -eq 0 ] || sum_counts passed failed skipped < <(for log in "${ran[@]}"; do tail -n 1 "$log"; done)
echo
echo "Skipped:"
[ ${#ran[@]} -eq 0 ] || grep -hE '^SKIP ' "${ran[@]}" | sort | uniq -c | sort -rn | head -n 60 | sed -E 's/^ +1 SKIP/  /; s/^ +([0-9]+) SKIP/  \1 x/'
echo
printf '%s\n' "${seconds_table[@]}"
printf '%6d s  in all\n' $((SECONDS - started))
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ] && [ ${#ran[@]} -gt 0 ]
