#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether generated pairs, new ones and one of an older macec, live in one program, and keep what the interface
# promises. See README.md of this folder.
set -u
. "$(dirname "$0")/../support/common.sh"
here=$root/tests/abi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70
warnings="-Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror -Wno-unused-command-line-argument"
includes="-I$here -I$root/runtime_stub"
passed=0 failed=0 skipped=0

# try NAME COMMAND...: one test; what the command prints is shown if it fails.
try() {
  local name=$1
  shift
  if "$@" >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL $name: $(tail -n 3 log | tr '\n' ' ' | cut -c -300)"
  fi
}
skip() { skipped=$((skipped + 1)); echo "SKIP $1: $2"; }
shell() { bash -c "set -e; $*"; }

# --- the pairs ---------------------------------------------------------------------------------------------
make_pairs() {
  ls "$root"/runtime_stub/*.h | sed "s|^$root/||" >texts.list
  cmake "-DROOT=$root" -DLIST=texts.list "-DOUTPUT=$work/texts.cpp" -P "$root/compiler/emit/embed.cmake" &&
    g++ -std=c++17 -O0 "-I$root" "$here/make_pairs.cpp" "$root"/compiler/emit/{interface,header,interface_source,prelude,levels}.cpp \
      "$root"/compiler/emit/{names,weights}.cpp "$root/compiler/support/error.cpp" texts.cpp -lfmt -o make_pairs || return 1
  for architecture in x86 armv8 portable; do
    mkdir -p $architecture && ./make_pairs $architecture $architecture && cp "$here"/old/old.* $architecture || return 1
  done
}
if ! make_pairs >log 2>&1; then
  tail -n 20 log
  echo "FAIL abi: the pairs could not be made"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi
case $(uname -m) in
  x86_64) native=x86 native_levels=3 ;;
  aarch64) native=armv8 native_levels=3 ;;
  *) native=portable native_levels=1 ;;
esac
pairs="vad kws many both old"

# objects FOLDER COMPILER FLAGS...: FOLDER/NAME.o of every pair.
objects() {
  local folder=$1
  shift
  for pair in $pairs; do
    "$@" -std=c++17 $warnings -c "$folder/$pair.cpp" -o "$folder/$pair.o" || return 1
  done
}

# two_units FOLDER CC CXX LANGUAGE_1 LANGUAGE_2 RUNNER FLAGS...: a program whose two units include the headers in both orders.
two_units() {
  local folder=$1 cc=$2 cxx=$3 one=$4 two=$5 runner=$6
  shift 6
  unit() {  # LANGUAGE OUTPUT FLAGS
    local language=$1 output=$2
    shift 2
    case $language in
      c++*) $cxx -x c++ -std=$language $warnings $includes "-I$folder" "$@" -c "$here/use_pair.c" -o "$output" ;;
      *) $cc -std=$language $warnings -Wstrict-prototypes $includes "-I$folder" "$@" -c "$here/use_pair.c" -o "$output" ;;
    esac
  }
  unit "$one" one.o "$@" && unit "$two" two.o -DOLD_FIRST -DUSE=use_two "$@" &&
    $cxx "$@" one.o two.o "$folder/kws.o" "$folder/old.o" -o program && $runner ./program
}

contract() {  # FOLDER CXX LEVELS RUNNER FLAGS...
  local folder=$1 cxx=$2 levels=$3 runner=$4
  shift 4
  $cxx "$@" -std=c++17 -Wall -Wextra "-DVAD_LEVELS=$levels" $includes "-I$folder" "$here/contract.cpp" \
    "$folder"/{vad,kws,many,both}.o -o program && $runner ./program "$folder"
}

# --- native ------------------------------------------------------------------------------------------------
native_tests() {  # CC CXX
  local cc=$1 cxx=$2 f=$native
  try "$cxx: pairs compile without a warning at -O2" objects $f $cxx -O2
  try "$cxx: contract" contract $f $cxx $native_levels ""
  try "$cc: C99 and C++17, both orders" two_units $f $cc $cxx c99 c++17 ""
  try "$cc: C++17 and C11, both orders" two_units $f $cc $cxx c++17 c11 ""
  try "$cc: C11 twice, linked by the C compiler" two_units $f $cc $cc c11 c11 ""
  try "$cc: library opened at run time" library $cc $cxx
  try "$cc: pool, contexts at once, C11" threads $cc -std=c11
  try "$cxx: pool, contexts at once, C++17" threads $cxx "-x c++ -std=c++17"
  try "$cxx: C++ wrapper without exceptions and RTTI" wrapper $cxx -fno-exceptions -fno-rtti
  try "$cxx: pairs compile at -O0, hidden, for a PIE" objects $f $cxx -O0 -fvisibility=hidden -fPIE
  try "$cxx: contract at -O0, hidden visibility, PIE" contract $f $cxx $native_levels "" -O0 -fvisibility=hidden -fPIE -pie
  try "$cc: two units at -O0, hidden visibility, PIE" two_units $f $cc $cxx c11 c++17 "" -fvisibility=hidden -fPIE -pie
  try "$cxx: pairs compile for LTO" objects $f $cxx -O2 -flto -Wodr
  local lto="-O2 -flto -Wodr -Werror" linker=ld.lld${cxx#clang++}
  if [[ $cxx != clang* ]] || have "$linker"; then
    [[ $cxx == clang* ]] && lto="$lto --ld-path=$(command -v "$linker")"
    try "$cxx: two units under LTO" two_units $f $cc $cxx c11 c++17 "" $lto
    try "$cxx: contract under LTO" contract $f $cxx $native_levels "" $lto
    if [[ $cxx == clang* ]]; then
      try "$cxx: pairs compile for ThinLTO" objects $f $cxx -O2 -flto=thin
      try "$cxx: two units under ThinLTO" two_units $f $cc $cxx c++17 c11 "" ${lto/-flto/-flto=thin}
    fi
  else
    skip "$cxx: LTO" "no $linker"
  fi
}

library() {  # CC CXX
  $2 -std=c++17 -O2 -fPIC -shared -fvisibility=hidden '-DOLD_API=__attribute__((visibility("default")))' \
    "-I$native" "$native/old.cpp" -o libold.so &&
    [ "$(nm -D --defined-only libold.so | awk '$2 ~ /[A-Z]/ { print $3 }')" = old_model ] &&
    $1 -std=c11 -D_GNU_SOURCE -Wall -Wextra $includes "-I$native" "$here/use_library.c" "$native/kws.o" -ldl -o program &&
    ./program ./libold.so
}

threads() {  # COMPILER LANGUAGE FLAGS...
  local compiler=$1 language=$2
  shift 2
  $compiler $language $warnings -O1 $includes "-I$native" "$@" -c "$here/use_threads.c" -o threads.o &&
    $compiler "$@" threads.o "$native/vad.o" -pthread -o program && ./program "$native/vad.weights.bin"
}

wrapper() {  # CXX FLAGS...
  local cxx=$1
  shift
  $cxx -std=c++17 $warnings "$@" $includes "-I$native" "$here/use_wrapper.cpp" "$native"/{kws,vad}.o -o program &&
    ./program "$native/vad.weights.bin"
}

for suffix in "" -14 -19; do
  case $suffix in
    "") cc=gcc cxx=g++ ;;
    *) cc=clang$suffix cxx=clang++$suffix ;;
  esac
  if have $cxx; then
    native_tests $cc $cxx
  else
    skip "$cxx" "not installed"
  fi
done

# --- sanitizers --------------------------------------------------------------------------------------------
address="-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=undefined"
try "address sanitizer: pairs compile" objects $native g++ $address
try "address sanitizer: contract" contract $native g++ $native_levels "" $address
try "address sanitizer: wrapper" wrapper g++ $address
try "thread sanitizer: pairs compile" objects $native g++ -O1 -g -fsanitize=thread -fno-exceptions
try "thread sanitizer: pool, contexts at once" threads gcc -std=c11 -g -fsanitize=thread

# --- what is in an object ------------------------------------------------------------------------------------
try "pairs compile, not position-independent" objects $native g++ -O2 -fno-pie
object_tests() {  # MODEL OBJECT
  try "$1: one symbol is exported" shell '[ "$(nm -g --defined-only' $2 '| cut -d" " -f3)" =' $1_model ']'
  try "$1: nothing of the C++ library is used" \
    shell '! nm -u' $2 '| grep -v -E " (mem(cpy|set|cmp|move)|__cpu_model|__stack_chk_fail)$"'
  try "$1: .data and .bss are empty" shell 'size -A' $2 \
    "| awk '\$1 ~ /^\\.(data|bss|tdata|tbss|init_array|ctors)/ && \$1 !~ /^\\.data\\.rel\\.ro/ { sum += \$2 } END { exit sum > 0 }'"
}
for pair in vad kws many old; do object_tests $pair $native/$pair.o; done
refuses() {  # TEXT COMMAND...
  local text=$1
  shift
  "$@" >refused.log 2>&1 && { echo "compiles"; return 1; }
  grep -q -e "$text" refused.log || { head -n 3 refused.log; return 1; }
}
try "-ffast-math is refused" refuses 'without -ffast-math' g++ -std=c++17 -ffast-math -c $native/kws.cpp -o x.o

# --- stale files ---------------------------------------------------------------------------------------------
mkdir stale && sed 's/KWS_BUILD 0x11111111u/KWS_BUILD 0x11111112u/' $native/kws.h >stale/kws.h
cp $native/kws.cpp stale
try "a source beside a stale header does not compile" \
  refuses 'kws.h is not the header that was generated with this file' g++ -std=c++17 -c stale/kws.cpp -o x.o
stale_header() {
  cat >stale.c <<'END'
#include "kws.h"
#include "check.h"
int main(void) {
  static unsigned char memory[KWS_MEMORY_BYTES];
  macec_options options = macec_defaults();
  macec_error error = {0, 0, NULL, NULL, 0, 0};
  char text[200];
  kws_ctx *m = NULL;
  const float in[4] = {0, 0, 0, 0};
  float out[2];
  options.error = &error;
  CHECK(kws_open(&m, memory, sizeof memory, &options) == MACEC_E_BUILD);
  CHECK(m == NULL);
  CHECK_TEXT(macec_error_text(&error, text, sizeof text),
             "kws: kws.h and kws.cpp come from different runs of macec: build number: have 286331153, need 286331154 (error -32)");
  CHECK(kws_once(memory, sizeof memory, in, out) == MACEC_E_BUILD);
  return check_result();
}
END
  gcc -std=c11 -Wall -Wextra $includes -Istale stale.c $native/kws.o -no-pie -o program && ./program
}
try "a program with a stale header gets MACEC_E_BUILD" stale_header
edited_layer() {
  sed "s/$(grep -o -m 1 'MACEC_LAYER_1 0x[0-9a-f]*' $native/kws.h)/MACEC_LAYER_1 0xffff/" $native/kws.h >stale/kws.h
  printf '#include "kws.h"\n#include "old.h"\n' >edited.c
  refuses 'two different texts of stub layer 1' gcc -Istale -I$native -c edited.c -o x.o
}
try "two texts of one layer do not meet in a unit" edited_layer
if have python3; then
  try "the check value of each layer is right" python3 "$here/check_layers.py"
else
  skip "check values" "no python3"
fi

# --- weights -------------------------------------------------------------------------------------------------
weights() {  # FOLDER CXX RUNNER FLAGS...
  local f=$1 cxx=$2 runner=$3 model extra argument
  shift 3
  sed 's/wincbin/wextern/g; s/WINCBIN/WEXTERN/g; /\.hidden/d' $f/wincbin_weights.S >$f/wextern_weights.S
  for model in warray wasm wincbin wextern wfile; do
    extra="" argument=""
    [ -f $f/${model}_weights.S ] && extra=$f/${model}_weights.S
    [ $model = wfile ] && argument=$f/wfile.weights.bin
    $cxx "$@" -std=c++17 $warnings -I$f -c $f/$model.cpp -o model.o &&
      { [ -z "$extra" ] || $cxx -I$f -c $extra -o weights.o; } &&
      $cxx "$@" -x c++ -std=c++17 -Wall -Wextra $includes -I$f -DMODEL=$model -c "$here/use_weights.c" -o use.o &&
      $cxx "$@" use.o model.o ${extra:+weights.o} -o program && $runner ./program $argument || { echo "$model"; return 1; }
  done
}
try "g++: every form of weights" weights $native g++ "" -O2
try "g++: every form of weights, LTO, gc-sections" \
  weights $native g++ "" -O2 -flto -ffunction-sections -fdata-sections -Wl,--gc-sections
have clang++-14 && try "clang++-14: every form of weights" weights $native clang++-14 "" -O1
have clang++-19 && try "clang++-19: every form of weights" weights $native clang++-19 "" -O1
incbin_path() {
  mkdir -p elsewhere && cp $native/wincbin.weights.bin elsewhere/renamed.bin &&
    gcc "-DWINCBIN_WEIGHTS_FILE=\"$work/elsewhere/renamed.bin\"" -c $native/wincbin_weights.S -o w.o &&
    readelf -sW w.o | grep -q 'OBJECT *GLOBAL *HIDDEN .*wincbin_weights' && readelf -SW w.o | grep -q 'rodata.wincbin_weights' &&
    readelf -SW w.o | grep -q 'note.GNU-stack'
}
try "the sidecar's path can be given; its symbol is hidden and read-only" incbin_path

# --- other processors ----------------------------------------------------------------------------------------
cross() {  # NAME FOLDER LEVELS CC CXX RUNNER
  local name=$1 f=$2 levels=$3 cc=$4 cxx=$5 runner=$6
  if ! have "$cxx" || ! have "${runner%% *}"; then
    skip "$name" "no $cxx or ${runner%% *}"
    return
  fi
  try "$name: pairs compile without a warning" objects $f $cxx -O2
  try "$name: contract" contract $f $cxx "$levels" "$runner" -static
  try "$name: C11 and C++17, both orders" two_units $f $cc $cxx c11 c++17 "$runner" -static
  try "$name: every form of weights" weights $f $cxx "$runner" -O1 -static
}
cross armv8 armv8 3 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ "qemu-aarch64 -cpu cortex-a76"
cross armv7 portable 1 arm-linux-gnueabihf-gcc arm-linux-gnueabihf-g++ qemu-arm

# --- pairs that macec makes ----------------------------------------------------------------------------------
. "$here/generated.sh"

echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
