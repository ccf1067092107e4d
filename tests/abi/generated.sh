# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The part of run.sh on pairs that macec itself makes from models/. Sourced by it.

meter_flags="--dim=frames=1..32 --dim=k=2..8 --dim=rows=2..8 --dim=height=32..96:32 --state=h=hn --hooks=steps"

# generate FOLDER TARGET
generate() {
  mkdir -p "$1" && "$MACEC" "$here/models/scorer.onnx" --target="$2" -o "$1/scorer.cpp" &&
    "$MACEC" "$here/models/meter.onnx" --target="$2" -o "$1/meter.cpp" $meter_flags && cp "$here"/old/old.* "$1"
}

generated_objects() {  # FOLDER CXX FLAGS...
  local folder=$1 cxx=$2
  shift 2
  for pair in scorer meter old; do
    $cxx "$@" -std=c++17 $warnings -c "$folder/$pair.cpp" -o "$folder/$pair.o" || return 1
  done
}

# generated_units FOLDER CC CXX LANGUAGE_1 LANGUAGE_2 RUNNER FLAGS...: both orders of the headers in one program.
generated_units() {
  local folder=$1 cc=$2 cxx=$3 one=$4 two=$5 runner=$6
  shift 6
  generated_unit() {  # LANGUAGE OUTPUT FLAGS...
    local language=$1 output=$2 compiler=$cc
    shift 2
    case $language in c++*) compiler="$cxx -x c++" ;; esac
    $compiler -std=$language $warnings $includes "-I$folder" "$@" -c "$here/use_generated.c" -o "$output"
  }
  generated_unit "$one" one.o "$@" && generated_unit "$two" two.o -DOLD_FIRST "$@" &&
    $cxx "$@" one.o two.o "$folder"/{scorer,meter,old}.o -o program && $runner ./program
}

generated_weights() {  # FOLDER TARGET CC CXX RUNNER FLAGS...
  local folder=$1 target=$2 cc=$3 cxx=$4 runner=$5 mode name extra arguments
  shift 5
  for mode in array asm incbin extern file; do
    name=scorer_$mode extra="" arguments=""
    "$MACEC" "$here/models/scorer.onnx" --target="$target" --weights=$mode --name=$name -o "$folder/$name.cpp" --force || return 1
    [ $mode = extern ] && sed 's/scorer_incbin_weights/scorer_extern_weights/; s/SCORER_INCBIN/SCORER_EXTERN/; /\.hidden/d
      s/scorer_incbin/scorer_extern/g' "$folder/scorer_incbin_weights.S" >"$folder/scorer_extern_weights.S"
    [ -f "$folder/${name}_weights.S" ] && extra=w.o && { $cc "-I$folder" -c "$folder/${name}_weights.S" -o w.o || return 1; }
    [ $mode = file ] && arguments="$folder/$name.weights.bin $folder/foreign.bin" && cp $native/wfile.weights.bin "$folder/foreign.bin"
    $cxx "$@" -std=c++17 $warnings -c "$folder/$name.cpp" -o scorer.o &&
      $cc "$@" -std=c11 $warnings $includes "-I$folder" -DNAME=$name -c "$here/use_generated.c" -o one.o &&
      $cc "$@" -std=c11 $warnings $includes "-I$folder" -DNAME=$name -DOLD_FIRST -c "$here/use_generated.c" -o two.o &&
      $cxx "$@" one.o two.o scorer.o $extra "$folder"/{meter,old}.o -o program && $runner ./program $arguments ||
      { echo "weights: $mode"; return 1; }
  done
}

# A cache that grows by one a run, in dimensions that are called like things in the code.
growing() {  # CC CXX
  "$MACEC" "$here/models/growing.onnx" --dim=copy=1..2 --dim=p=1..15 --state=past=present -o generated/growing.cpp --force &&
    $2 -O1 -std=c++17 $warnings -c generated/growing.cpp -o growing.o &&
    $1 -std=c11 $warnings $includes -Igenerated "$here/use_growing.c" growing.o -o program && ./program
}

# Two models in one pair; a flag goes to the models that have what it names.
two_models() {  # CC CXX
  mkdir -p both && "$MACEC" "$here"/models/{scorer,meter}.onnx --target=$target -o both/both.cpp $meter_flags --force &&
    cp "$here"/old/old.* both && echo '#include "both.h"' | tee both/scorer.h >both/meter.h &&
    for pair in both old; do $2 -O1 -std=c++17 $warnings -c both/$pair.cpp -o both/$pair.o || return 1; done &&
    : >empty.cpp && $2 -c empty.cpp -o both/meter.o && mv both/both.o both/scorer.o &&
    generated_units both $1 $2 c11 c++17 ""
}

generated_native() {  # CC CXX
  local cc=$1 cxx=$2 f=generated
  local lto="-O2 -flto -Wodr -Werror" linker=ld.lld${cxx#clang++}
  try "$cxx: generated pairs compile without a warning at -O2" generated_objects $f $cxx -O2
  try "$cc: generated pairs, C99 and C++17" generated_units $f $cc $cxx c99 c++17 ""
  try "$cc: generated pairs, C++17 and C11" generated_units $f $cc $cxx c++17 c11 ""
  try "$cxx: every form of generated weights" generated_weights $f "$target" $cc $cxx ""
  try "$cxx: generated pairs compile at -O0, hidden, for a PIE" generated_objects $f $cxx -O0 -fvisibility=hidden -fPIE
  try "$cc: generated pairs at -O0, hidden visibility, PIE" generated_units $f $cc $cxx c11 c++17 "" -fvisibility=hidden -fPIE -pie
  if [[ $cxx == clang* ]]; then
    have "$linker" || { skip "$cxx: LTO of generated pairs" "no $linker"; return; }
    lto="$lto --ld-path=$(command -v "$linker")"
  fi
  try "$cxx: generated pairs compile for LTO" generated_objects $f $cxx -O2 -flto -Wodr
  try "$cxx: generated pairs under LTO" generated_units $f $cc $cxx c11 c++17 "" $lto
}

generated_cross() {  # NAME TARGET CC CXX RUNNER FLAGS...
  local name=$1 target=$2 cc=$3 cxx=$4 runner=$5
  shift 5
  have "$cxx" && have "${runner%% *}" || { skip "$name: generated pairs" "no $cxx or ${runner%% *}"; return; }
  try "$name: macec makes the pairs" generate "$name" "$target"
  try "$name: generated pairs compile without a warning" generated_objects "$name" $cxx -O2 "$@"
  try "$name: generated pairs, C11 and C++17" generated_units "$name" $cc $cxx c11 c++17 "$runner" -static
  try "$name: every form of generated weights" generated_weights "$name" "$target" $cc $cxx "$runner" -static "$@"
}

generated_tests() {
  case $(uname -m) in x86_64) target=x86-64 ;; aarch64) target=armv8 ;; *) target=portable ;; esac
  try "macec makes the pairs" generate generated $target
  for suffix in "" -14 -19; do
    case $suffix in
      "") generated_native gcc g++ ;;
      *) have clang++$suffix && generated_native clang$suffix clang++$suffix || skip "clang++$suffix: generated pairs" "not installed" ;;
    esac
  done
  try "a state that grows, dimensions with names of ours" growing gcc g++
  try "two models in one pair" two_models gcc g++
  try "address sanitizer: generated pairs compile" generated_objects generated g++ $address
  try "address sanitizer: generated pairs" generated_units generated gcc g++ c11 c++17 "" $address
  try "generated pairs compile, not position-independent" generated_objects generated g++ -O2 -fno-pie
  for pair in scorer meter; do
    object_tests $pair generated/$pair.o
  done
  generated_cross armv8 armv8 aarch64-linux-gnu-gcc aarch64-linux-gnu-g++ "qemu-aarch64 -cpu cortex-a76"
  generated_cross armv7 armv7 arm-linux-gnueabihf-gcc arm-linux-gnueabihf-g++ qemu-arm -mfpu=neon
}

if [ -x "$MACEC" ]; then
  generated_tests
else
  skip "pairs that macec makes" "no macec at $MACEC"
fi
