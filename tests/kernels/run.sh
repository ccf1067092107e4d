#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Builds and runs every *_test.cpp of this folder at every instruction-set level, and the file that holds all levels at once
# with every compiler, at -O0 and -O2. Prints `FAIL name: why`, `SKIP name: why` and the counts.
#
#   tests/kernels/run.sh [NAME...]     only these: math_test, levels, ...
. "$(dirname "${BASH_SOURCE[0]}")/../support/common.sh"
cd "$root" || exit 70
out=$MACEC_BUILD/kernels
mkdir -p "$out"
export out
export strict="-std=c++17 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Werror"

# compile COMPILER FLAGS... : through ccache where there is one.
compile() {
  if have ccache; then ccache "$@"; else "$@"; fi
}

# Name, compiler, flags, runner, feature that /proc/cpuinfo must show.
levels='portable|g++|-DMACEC_SIMD_PORTABLE||
v1|g++|||
v3|g++|-mavx2 -mfma -mf16c||avx2
v4|g++|-mavx512f -mavx512bw -mavx512dq -mavx512vl -mavx2 -mfma -mf16c||avx512bw
armv8|aarch64-linux-gnu-g++|-static|qemu-aarch64|
armv7|arm-linux-gnueabihf-g++|-static -mfpu=neon|qemu-arm|'
[ "$(uname -m)" = x86_64 ] || levels='native|g++|||'

# one_test TEST LEVEL: builds and runs it; one line of result.
one_test() {
  local test=$1 name=$2 entry compiler flags runner feature binary log
  entry=$(grep "^$name|" <<<"$levels")
  IFS='|' read -r _ compiler flags runner feature <<<"$entry"
  binary=$out/$test.$name
  log=$binary.log
  have "$compiler" || { echo "SKIP $test at $name: no $compiler"; return; }
  # shellcheck disable=SC2086  # flags are words
  compile "$compiler" $strict -O2 $flags -I. -c "tests/kernels/$test.cpp" -o "$binary.o" >"$log" 2>&1 &&
    "$compiler" $flags "$binary.o" -o "$binary" >>"$log" 2>&1 ||
    { echo "FAIL $test at $name: does not compile, see $log"; return; }
  [ -z "$feature" ] || grep -qw "$feature" /proc/cpuinfo || { echo "SKIP $test at $name: this processor lacks $feature"; return; }
  [ -z "$runner" ] || have "$runner" || { echo "SKIP $test at $name: no $runner"; return; }
  # shellcheck disable=SC2086
  if timeout 300 $runner "$binary" >"$log" 2>&1; then
    echo "ok $test at $name"
  else
    echo "FAIL $test at $name: $(grep -m 1 FAILED "$log" || tail -n 1 "$log"), see $log"
  fi
}

# all_levels COMPILER OPTIMISATION: one file with regions; on an old processor only its base may run.
all_levels() {
  local name=levels.$1$2 log=$out/levels.$1$2.log leaked
  have "$1" || { echo "SKIP levels by $1 $2: no $1"; return; }
  # shellcheck disable=SC2086
  compile "$1" $strict "$2" -c "$out/levels.cpp" -o "$out/$name.o" >"$log" 2>&1 && "$1" "$out/$name.o" -o "$out/$name" >>"$log" 2>&1 ||
    { echo "FAIL levels by $1 $2: does not compile, see $log"; return; }
  leaked=$(nm -C "$out/$name.o" | grep -E ' [TWVu] ' | grep -vE ' main$|__gxx_personality')
  [ -z "$leaked" ] || { echo "FAIL levels by $1 $2: symbols that a linker sees: $(head -n 1 <<<"$leaked")"; return; }
  "$out/$name" >"$log" 2>&1 || { echo "FAIL levels by $1 $2: wrong results"; return; }
  if have qemu-x86_64; then
    qemu-x86_64 -cpu Nehalem "$out/$name" >"$log" 2>&1 || { echo "FAIL levels by $1 $2: needs more than its base level"; return; }
  fi
  echo "ok levels by $1 $2"
}

one_job() {
  if [ "$1" = levels ]; then all_levels "$2" "$3"; else one_test "$1" "$2"; fi
}
export -f have compile one_test all_levels one_job
export levels

tests=()
for file in tests/kernels/*_test.cpp; do tests+=("$(basename "$file" .cpp)"); done
tests+=(levels)
[ $# -eq 0 ] || tests=("$@")

jobs_list() {
  local test name compiler
  for test in "${tests[@]}"; do
    if [ "$test" != levels ]; then
      for name in $(cut -d'|' -f1 <<<"$levels"); do echo "$test $name"; done
    elif [ "$(uname -m)" = x86_64 ] && have python3; then
      python3 tests/kernels/paste_levels.py >"$out/levels.cpp"
      for compiler in g++ clang++-14 clang++-19; do echo "levels $compiler -O0"; echo "levels $compiler -O2"; done
    fi
  done
}

results=$(jobs_list | xargs -P "$MACEC_JOBS" -L 1 bash -c 'one_job "$@"' one_job)
grep -E '^(FAIL|SKIP) ' <<<"$results"
count() { grep -c "^$1 " <<<"$results"; }
echo "$(count ok) passed, $(count FAIL) failed, $(count SKIP) skipped"
[ "$(count FAIL)" -eq 0 ]
