#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles fashion.onnx, builds main.cpp with the generated code, and runs it on real pictures.
#
#   bash examples/fashion/run.sh MACEC FOLDER          on all 10,000 test pictures, on this machine
#   bash examples/fashion/run.sh MACEC FOLDER --arm    on 200, as ARMv8 in an emulator
#
# MACEC: the program. FOLDER: where everything is written. The pictures come from the package
# dataset-fashion-mnist (MACEC_PICTURES: another folder with its files).
set -eu
[ $# -ge 2 ] || { sed -n '4,11s/^# \{0,1\}//p' "$0" && exit 2; }
macec=$(realpath "$1")
folder=$2
mode=${3:-}
example=$(cd "$(dirname "$0")" && pwd)
pictures=${MACEC_PICTURES:-/usr/share/datasets/fashion-mnist}

if [ "$mode" = --arm ]; then
  target=armv8 prefix=aarch64-linux-gnu- emulator="qemu-aarch64 -L /usr/aarch64-linux-gnu" count=200
else
  target='' prefix='' emulator='' count=10000
fi

fail() { echo "error: $1" >&2 && exit 1; }
# Prints a command and runs it.
run() { echo "  \$ $*" && "$@"; }

for part in images-idx3 labels-idx1; do
  [ -f "$pictures/t10k-$part-ubyte.gz" ] ||
    fail "no $pictures/t10k-$part-ubyte.gz; the package dataset-fashion-mnist has it"
done
command -v "${prefix}g++" >/dev/null || fail "no ${prefix}g++; install the package g++-${prefix%-}"
[ -z "$emulator" ] || command -v "${emulator%% *}" >/dev/null ||
  fail "no ${emulator%% *}; install the package qemu-user"

mkdir -p "$folder"
cd "$folder"
for part in images-idx3 labels-idx1; do
  zcat "$pictures/t10k-$part-ubyte.gz" >"t10k-$part"
done

# shellcheck disable=SC2086  # $emulator is a list of words
{
  run "$macec" "$example/fashion.onnx" --dim batch=1 ${target:+--target=$target} -o fashion.cpp
  run "${prefix}g++" -std=c++17 -O2 -c fashion.cpp
  run "${prefix}g++" -std=c++17 -O2 -I. "$example/main.cpp" fashion.o -o fashion
  run $emulator ./fashion t10k-images-idx3 t10k-labels-idx1 $count
}

# Instructions and constants; the weights have a symbol of their own.
weights=$("${prefix}nm" -S --defined-only fashion.o | awk '/fashion_weights/ { print $2; exit }')
"${prefix}size" -A -d fashion.o | awk -v weights=$((16#${weights:-0})) '
  $1 ~ /^\.(text|rodata)/ { code += $2 }
  END { printf "code    %d bytes, and %d bytes of weights\n", code - weights, weights }'
