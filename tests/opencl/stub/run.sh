#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The OpenCL half of generated code at run time: what an app is promised, failing calls, damaged caches. See README.md.
set -u
. "$(dirname "$0")/../../support/common.sh"
here=$root/tests/opencl/stub
core=$MACEC_BUILD/libmacec_core.a
[ -f "$core" ] || { echo "FAIL stub: no $core"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
[ -f /usr/include/CL/cl.h ] || skip_folder "no OpenCL headers (Debian: opencl-headers)"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror"
includes="-I$root -I$here -I$work"
passed=0 failed=0 skipped=0

# try NAME COMMAND...: one test; what the command prints is shown if it fails.
try() {
  local name=$1
  shift
  if "$@" >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL stub: $name"
    tail -n 12 log | cut -c -300 | sed 's/^/    /'
  fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP stub: $1: $2"; }

# --- what needs no device ------------------------------------------------------------------------------------
try "our declarations are those of Khronos" g++ -std=c++17 -Wno-ignored-attributes "-I$root" -c "$here/api.cpp" -o api.o
# shellcheck disable=SC2086
g++ -std=c++17 -O0 $includes "$here/make_pair.cpp" "$core" -lfmt -o make_pair >log 2>&1 && ./make_pair . >>log 2>&1 ||
  { tail -n 12 log; echo "FAIL stub: the pair could not be made"; echo "$passed passed, $((failed + 1)) failed, 0 skipped"; exit 1; }
for cxx in g++ clang++ clang++-14 clang++-19 aarch64-linux-gnu-g++ arm-linux-gnueabihf-g++ x86_64-w64-mingw32-g++ i686-w64-mingw32-g++; do
  have $cxx || { skip "$cxx" "not installed"; continue; }
  for flags in "-O2" "-O0 -fno-exceptions -fno-rtti"; do
    # shellcheck disable=SC2086
    try "$cxx $flags compiles the pair without a warning" $cxx -std=c++17 $warnings $flags -c stub.cpp -o other.o
  done
done
header() {
  printf '#include "stub.h"\nint main(void) { macec_opencl o = macec_opencl_defaults(); return (int)o.need_gpu; }\n' >use.c
  gcc -std=c99 $warnings -c use.c -o use.o && gcc -std=c11 $warnings -c use.c -o use.o && g++ -x c++ -std=c++17 $warnings -c use.c -o use.o
}
try "the header is C99, C11 and C++17" header
both_orders() {
  printf '#include "stub.h"\n#include "old.h"\n' >one.c
  printf '#include "old.h"\n#include "stub.h"\n' >two.c
  local unit
  for unit in one two; do
    gcc -std=c99 $warnings "-I$root/tests/abi/old" -c $unit.c -o use.o && g++ -x c++ -std=c++17 $warnings "-I$root/tests/abi/old" -c $unit.c -o use.o || return 1
  done
}
try "the header stands before and behind one of another macec" both_orders
# shellcheck disable=SC2086
try "the pair compiles" g++ -std=c++17 -O1 -g $warnings -c stub.cpp -o stub.o
only_posix() {
  ! nm -u stub.o | awk '{ print $2 }' | grep -v -E \
    '^(clock_gettime|close|dlopen|dlsym|fstat|getpid|mem(cmp|cpy|set)|mmap|munmap|nanosleep|open|read|rename|strlen|strstr|unlink|write|__stack_chk_fail)$'
}
try "no library but that of the system is used" only_posix
try "four symbols are exported" bash -c '[ "$(nm -g --defined-only stub.o | cut -d" " -f3 | xargs)" = "duo_model lone_model plain_model solo_model" ]'
try ".data and .bss are empty" bash -c \
  "size -A stub.o | awk '\$1 ~ /^\\.(data|bss|tdata|tbss|init_array|ctors)/ && \$1 !~ /^\\.data\\.rel\\.ro/ { sum += \$2 } END { exit sum > 0 }'"

# --- on a device, through the mock ---------------------------------------------------------------------------
mock=$work/libmacec_mock_opencl.so
# shellcheck disable=SC2086
try "the mock compiles" g++ -std=c++17 -O1 -Wall -Wextra -fPIC -shared "$root/tests/opencl/mock/mock.cpp" -ldl -o "$mock"
device() { printf '#include <CL/cl.h>\nint main() { cl_platform_id p; cl_uint n = 0; cl_device_id d; return clGetPlatformIDs(1, &p, 0) || clGetDeviceIDs(p, CL_DEVICE_TYPE_ALL, 1, &d, &n) || !n; }\n' >device.cpp &&
  g++ -DCL_TARGET_OPENCL_VERSION=120 device.cpp -lOpenCL -o device && ./device; }
if ! device >log 2>&1; then
  skip "everything on a device" "no OpenCL device (Debian: pocl-opencl-icd)"
  echo "$passed passed, $failed failed, $skipped skipped"
  [ $failed -eq 0 ]
  exit
fi

# program NAME OBJECT FLAGS...: builds NAME.cpp of this folder.
program() {
  local name=$1 object=$2
  shift 2
  # shellcheck disable=SC2086
  g++ -std=c++17 -O1 -g -Wall -Wextra -Werror $includes "$@" "$here/$name.cpp" "$object" -ldl -o "$name"
}
contract() { program contract stub.o -DCL_TARGET_OPENCL_VERSION=120 && timeout 300 ./contract "$mock"; }
damage() { program damage stub.o && timeout 300 ./damage "$mock" "$work/damage"; }
wrapper() { program wrapper stub.o "-I$root/runtime_stub" -fno-exceptions -fno-rtti && timeout 60 ./wrapper "$mock"; }
# faults MODEL HEADER OBJECT MOST [own]
faults() {
  program faults "$3" "-DHEADER=\"$2\"" "-DMODEL=$1" -Wl,--wrap=mmap,--wrap=munmap && timeout 1500 ./faults "$mock" "$work/cache" "most=$4" ${5:+"$5"}
}
try "contract" contract
try "macec.hpp" wrapper
try "49 kinds of damage to a cached program" damage
for model in duo solo lone; do
  try "every call of a session of $model fails" faults $model stub.h stub.o 1000
  try "every call of a session of $model fails, own memory" faults $model stub.h stub.o 1000 own
done

# --- pairs that macec makes ----------------------------------------------------------------------------------
generated() {  # NAME MODEL MOST FLAGS...
  local name=$1 model=$2 most=$3
  shift 3
  "$MACEC" "$model" --name="$name" -o "$name.cpp" "$@" && g++ -std=c++17 -O1 -c "$name.cpp" -o "$name.o" &&
    faults "$name" "$name.h" "$name.o" "$most" && faults "$name" "$name.h" "$name.o" 30 own
}
case $MACEC_TIER in quick) drawn=2 ;; ci) drawn=10 ;; *) drawn=50 ;; esac
if [ -x "$MACEC" ]; then
  try "every call of a session of meter, with a state, fails" generated meter "$root/tests/abi/models/meter.onnx" 1000 \
    --target=x86-64-opencl --dim=frames=4 --dim=k=3 --dim=rows=3 --dim=height=32 --state=h=hn --place=all=gpu
  for zoo in "dscnn_kws x86-64-opencl 1000" "mobilenetv2_100 x86-64-adreno $drawn"; do
    read -r model target most <<<"$zoo"
    if [ -f "$MACEC_CACHE/zoo/$model/model.onnx" ]; then
      try "calls of a session of $model fail, $most or all of each kind" generated "$model" "$MACEC_CACHE/zoo/$model/model.onnx" "$most" "--target=$target"
    else
      skip "$model" "no $MACEC_CACHE/zoo/$model (tests/models makes it)"
    fi
  done
else
  skip "pairs that macec makes" "no macec at $MACEC"
fi
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
