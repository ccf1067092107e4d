#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ARMv8 instructions per multiply-add instruction (four float lanes) of the layers in conv_bench.cpp,
# counted under qemu: conv_count.sh [PART OF A LAYER'S NAME]. CXX (default aarch64-linux-gnu-g++),
# CXXFLAGS (default -O2).
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
shared=${MACEC_SHARED:-$root/../shared}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
${CXX:-aarch64-linux-gnu-g++} -std=c++17 ${CXXFLAGS:--O2} -static -I"$root" \
  "$root/tests/bench/conv_bench.cpp" -o "$work/bench"
gcc -O2 -shared -fPIC "$shared/tools/count/count_plugin.c" -o "$work/plugin.so"
qemu-aarch64 "$work/bench" --list >"$work/names"
index=-1
while IFS= read -r name; do
  index=$((index + 1))
  [[ $name == *"${1:-}"* ]] || continue
  MACEC_COUNT_LAYER=$index qemu-aarch64 -cpu cortex-a76 -plugin "$work/plugin.so" -d plugin \
    -D "$work/counts" "$work/bench" >"$work/line"
  paste "$work/line" "$work/counts"
done <"$work/names" | awk -F'\t' '
  { split($4, c, " ")
    need = $2 / 4
    split($1, part, " ")
    if (model != "" && part[1] != model) finish()
    model = part[1]
    all += c[2] * $3; all_need += need * $3
    printf "%-46s x%-2d %10.0f instructions %8.3f a multiply-add (%.3f of them done)\n", \
           $1, $3, c[2], c[2] / need, c[4] / need }
  function finish() {
    printf "%-46s     %10.0f instructions %8.3f a multiply-add\n\n", model " in all", all, all / all_need
    all = all_need = 0 }
  END { if (model != "") finish() }'
