#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Compiles scaled.onnx for a GPU beside a CPU, shows where everything goes, and runs it.
#
#   bash examples/hetero/run.sh MACEC FOLDER [COUNT]
#
# MACEC: the program. FOLDER: where everything is written. COUNT: test pictures (default 500). The
# pictures come from the package dataset-fashion-mnist (MACEC_PICTURES: another folder with its
# files). Without an OpenCL device (Debian: pocl-opencl-icd) the CPU does it all, and says so.
set -eu
[ $# -ge 2 ] || { sed -n '4,10s/^# \{0,1\}//p' "$0" && exit 2; }
macec=$(realpath "$1")
folder=$2
count=${3:-500}
example=$(cd "$(dirname "$0")" && pwd)
pictures=${MACEC_PICTURES:-/usr/share/datasets/fashion-mnist}

# Prints a command and runs it.
run() { echo "  \$ $*" && "$@"; }

[ -f "$pictures/t10k-images-idx3-ubyte.gz" ] ||
  { echo "error: no $pictures/t10k-images-idx3-ubyte.gz; the package dataset-fashion-mnist has it" >&2 && exit 1; }
mkdir -p "$folder"
cd "$folder"
for part in images-idx3 labels-idx1; do
  zcat "$pictures/t10k-$part-ubyte.gz" >"t10k-$part"
done
for place in '' --place=all=gpu; do
  run "$macec" "$example/scaled.onnx" --dim batch=1 --target=x86-64-opencl ${place:+$place} --explain=placement -o scaled.cpp
  run g++ -std=c++17 -O2 -I. "$example/main.cpp" scaled.cpp -o scaled -ldl
  run ./scaled t10k-images-idx3 t10k-labels-idx1 "$count"
done
