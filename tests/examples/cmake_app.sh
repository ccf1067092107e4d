#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Builds examples/cmake_app natively and for ARMv8 and runs it, and tries what
# compiler/cmake/macec.cmake promises. One line per promise.
#
#   bash tests/examples/cmake_app.sh [MACEC [WORK_FOLDER]]
#
# MACEC: the program, default $MACEC_EXECUTABLE, then build/release/macec. Without an ARMv8 cross
# compiler and emulator that half is skipped, and said so.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
macec=$(realpath "${1:-${MACEC_EXECUTABLE:-$root/build/release/macec}}")
work=${2:-$(mktemp -d)}
unset MACEC_EXECUTABLE
[ -n "${2:-}" ] || trap 'rm -rf "$work"' EXIT
mkdir -p "$work"
work=$(cd "$work" && pwd)
app=$root/examples/cmake_app
passed=0 failed=0 skipped=0

# check NAME COMMAND...: the command succeeds.
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    echo "ok $name"
    passed=$((passed + 1))
  else
    echo "FAIL $name: $*"
    sed 's|^|    |' "$work/log" | tail -n 25
    failed=$((failed + 1))
  fi
}

configure() { cmake -G Ninja -DMACEC_EXECUTABLE="$macec" "$@"; }

# A project of a few lines: project FOLDER, the text of its CMakeLists.txt on standard input.
project() {
  mkdir -p "$1"
  cp "$root/examples/fashion/fashion.onnx" "$1/net.onnx"
  { echo 'cmake_minimum_required(VERSION 3.18)' && cat; } >"$1/CMakeLists.txt"
}

# says TEXT COMMAND...: the command fails, and its output, put on one line, has TEXT in it.
says() {
  local text=$1
  shift
  if "$@" >"$work/said" 2>&1; then
    cat "$work/said"
    return 1
  fi
  tr -s ' \n' ' ' <"$work/said" | grep -qF -- "$text" || { cat "$work/said" && return 1; }
}

newer() { [ "$1" -nt "$2" ]; }
has() { grep -qE -- "$1" "$2"; }

# --- the example, natively
check "the app configures" configure -S "$app" -B "$work/native" -DCMAKE_BUILD_TYPE=Debug
check "the app builds" cmake --build "$work/native"
check "the app recognises the three pictures" \
  ctest --no-tests=error --test-dir "$work/native" --output-on-failure
ninja -C "$work/native" -t commands >"$work/commands"
check "generated code has -O2 in a Debug build" has ' -O2 .*-c .*fashion\.cpp' "$work/commands"
check "a second build does nothing" bash -c "ninja -C '$work/native' | grep -q 'no work to do'"

# --- the example, for ARMv8, with find_package confined to the sysroot
if command -v aarch64-linux-gnu-g++ >/dev/null && command -v qemu-aarch64 >/dev/null; then
  check "the app configures for ARMv8" configure -S "$app" -B "$work/arm" \
    -DCMAKE_TOOLCHAIN_FILE="$app/aarch64-linux-gnu.cmake"
  check "the app builds for ARMv8" cmake --build "$work/arm"
  check "auto is armv8 there" has '--target=armv8 ' <(ninja -C "$work/arm" -t commands)
  check "the ARMv8 app recognises the three pictures" \
    ctest --no-tests=error --test-dir "$work/arm" --output-on-failure
  # A copy of the CMake files, so that no build folder is beside them.
  mkdir -p "$work/lost/compiler" && cp -r "$root/compiler/cmake" "$work/lost/compiler/"
  project "$work/lost" <<CMAKE
project(lost LANGUAGES CXX)
include($work/lost/compiler/cmake/macec.cmake)
macec_add_model(net MODEL net.onnx)
CMAKE
  check "a cross build without a macec for this machine says how to get one" \
    says 'no macec found that runs on this machine' env PATH=/usr/bin:/bin \
    cmake -G Ninja -S "$work/lost" -B "$work/lost/build" \
    -DCMAKE_TOOLCHAIN_FILE="$app/aarch64-linux-gnu.cmake"
else
  echo "SKIP cmake_app for ARMv8: no aarch64-linux-gnu-g++ or no qemu-aarch64"
  skipped=$((skipped + 1))
fi

# --- what a changed model does
project "$work/changed" <<CMAKE
project(changed LANGUAGES CXX)
include($root/compiler/cmake/macec.cmake)
macec_add_model(net MODEL net.onnx DIMS batch=1..4 NAME clothes WEIGHTS asm TARGET auto
  OPTIONS --max-threads=2)
add_executable(main main.cpp)
target_link_libraries(main PRIVATE net)
CMAKE
cat >"$work/changed/main.cpp" <<'CPP'
#include "clothes.h"
#include "macec.hpp"
#include "macec_threads.h"
int main() { return clothes_model()->max_threads == 2 && CLOTHES_BATCH_MAX == 4 ? 0 : 1; }
CPP
check "NAME, DIMS, WEIGHTS and OPTIONS reach macec" bash -c "set -e
  cmake -G Ninja -DMACEC_EXECUTABLE='$macec' -S '$work/changed' -B '$work/changed/build'
  cmake --build '$work/changed/build' && '$work/changed/build/main'"
touch "$work/mark"
sleep 1.1
touch "$work/changed/net.onnx"
check "a changed model is compiled again" cmake --build "$work/changed/build"
check "its source is newer" newer "$work/changed/build/macec/net/clothes.cpp" "$work/mark"
check "and so is the program" newer "$work/changed/build/main" "$work/mark"

# --- a build folder that is configured again, of a project in C that knows neither C++ nor assembler
project "$work/again" <<CMAKE
project(again LANGUAGES C)
include($root/compiler/cmake/macec.cmake)
macec_add_model(net MODEL net.onnx DIMS batch=1 WEIGHTS \${FORM})
add_executable(main main.c)
target_link_libraries(main PRIVATE net)
CMAKE
cat >"$work/again/main.c" <<'C'
#include "net.h"
static char memory[NET_MEMORY_BYTES];
static float image[NET_IMAGE_ELEMS], scores[NET_SCORES_ELEMS];
int main(void) { return (int)net_once(memory, sizeof memory, image, scores); }
C
for form in incbin array incbin auto asm; do
  check "WEIGHTS $form in the same build folder" bash -c "set -e
    cmake -G Ninja -DMACEC_EXECUTABLE='$macec' -DFORM=$form -S '$work/again' -B '$work/again/build'
    cmake --build '$work/again/build' && '$work/again/build/main'"
done

# --- a model with its weights in a second file
project "$work/external" <<CMAKE
project(external LANGUAGES CXX)
include($root/compiler/cmake/macec.cmake)
macec_add_model(net MODEL net_default.onnx)
CMAKE
cp "$root"/tests/examples/pytorch/net_default.onnx* "$work/external/"
check "a model with external data is compiled" bash -c "set -e
  cmake -G Ninja -DMACEC_EXECUTABLE='$macec' -S '$work/external' -B '$work/external/build'
  cmake --build '$work/external/build'"
touch "$work/mark"
sleep 1.1
touch "$work/external/net_default.onnx.data"
check "changed external data is noticed" cmake --build "$work/external/build"
check "its source is newer, too" newer "$work/external/build/macec/net/net.cpp" "$work/mark"

# --- an installed macec
builder=$(dirname "$macec")
if [ -f "$builder/cmake_install.cmake" ]; then
  check "macec installs" cmake --install "$builder" --prefix "$work/prefix"
  project "$work/package" <<'CMAKE'
project(package LANGUAGES CXX)
find_package(macec 0.1 REQUIRED)
macec_add_model(net MODEL net.onnx DIMS batch=1 WEIGHTS incbin)
add_library(shared SHARED library.cpp)
target_link_libraries(shared PRIVATE net)
CMAKE
  cat >"$work/package/library.cpp" <<'CPP'
#include "net.h"
#include "macec.hpp"
const macec_model* model() { return net_model(); }
CPP
  check "find_package finds it, and its model goes into a shared library" bash -c "set -e
    cmake -G Ninja -S '$work/package' -B '$work/package/build' -DCMAKE_PREFIX_PATH='$work/prefix'
    cmake --build '$work/package/build'"
  check "it is the installed macec" has "^MACEC_EXECUTABLE:.*=$work/prefix/bin/macec" \
    "$work/package/build/CMakeCache.txt"
else
  echo "SKIP installed macec: $builder is no build folder"
  skipped=$((skipped + 1))
fi

# --- errors
wrong() {
  project "$work/wrong" <<CMAKE
project(wrong LANGUAGES CXX)
include($root/compiler/cmake/macec.cmake)
$2
CMAKE
  rm -rf "$work/wrong/build"
  check "error: $1" says "$1" configure -S "$work/wrong" -B "$work/wrong/build"
}
wrong "there is no model 'nte.onnx'" 'macec_add_model(net MODEL nte.onnx)'
wrong "MODEL <file.onnx> is missing" 'macec_add_model(net)'
wrong "unknown argument 'DIM;batch=1'" 'macec_add_model(net NAME net DIM batch=1)'
wrong "'my-net' cannot be the name of C functions" 'macec_add_model(my-net MODEL net.onnx)'
check "error: MACEC_EXECUTABLE is no file" says "there is no such file" \
  cmake -G Ninja -S "$app" -B "$work/native2" -DMACEC_EXECUTABLE=/nowhere/macec

echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" = 0 ]
