#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Whether the dumps in compiler/README.md are what macec prints today for conv_relu.onnx. Each stands in a block of
# backquotes behind a line `<!-- dump: NAME -->`; dump() below says where NAME comes from. MACEC_BLESS=1 rewrites them.
set -u
. "$(dirname "$0")/../support/common.sh"
readme=$root/compiler/README.md
[ -x "$MACEC" ] || skip_folder "no macec at $MACEC"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70
cp "$root/tests/golden/conv_relu.onnx" . || exit 70
target=--target=armv8
if ! "$MACEC" conv_relu.onnx $target -o conv_relu.cpp >log 2>&1; then
  echo "FAIL walk: $(head -n 2 log | tr '\n' ' ')"
  echo "0 passed, 1 failed, 0 skipped"
  exit 1
fi

graph_after() { "$MACEC" conv_relu.onnx $target -o again.cpp --force --dump-after="$1" 2>log | sed '/^\/\/ after/d; /^$/d'; }
# The lines of the source from the first that matches to the next that is FENCE.
of_source() { awk -v first="$1" -v fence="$2" '!on && $0 ~ first { on = 1 } on { print } on && $0 == fence { exit }' conv_relu.cpp; }

dump() {
  case $1 in
    "the file's first bytes") od -A x -t x1z -N 64 conv_relu.onnx ;;
    "graph after "*) graph_after "${1#graph after }" ;;
    plan) "$MACEC" conv_relu.onnx $target --emit=plan 2>log | sed '/^$/d' ;;
    "head of the source") sed '/^$/,$d' conv_relu.cpp ;;
    epilogue) of_source '^struct Relu1 [{]' '};' ;;
    "step of the convolution") of_source '^// 1: Conv' '}' ;;
    run) of_source '^macec_status run\(' '}' ;;
  esac
}

# The README with today's dumps in it; a dump without a text is an error.
fresh() {
  local line name='' fences=0
  while IFS= read -r line; do
    if [[ $line =~ ^'<!-- dump: '(.*)' -->'$ ]]; then name=${BASH_REMATCH[1]} fences=0; fi
    if [ -z "$name" ] || [ $fences -eq 0 ]; then printf '%s\n' "$line"; fi
    [ -n "$name" ] && [[ $line == '```'* ]] || continue
    fences=$((fences + 1))
    if [ $fences -eq 1 ]; then dump "$name" | tee dump.txt; [ -s dump.txt ] || echo "no dump is called '$name'" >>errors; fi
    if [ $fences -eq 2 ]; then printf '%s\n' "$line"; name=''; fi
  done <"$readme"
}

fresh >fresh.md
# The grain of a step follows from the cost of its kernel: a new cost alone does not spoil the page.
without_grain() { sed -E 's/(run_units\(c, .*, )[0-9]+, step/\1(grain), step/' "$1"; }
[ "${MACEC_BLESS:-0}" = 1 ] && [ ! -e errors ] && cp fresh.md "$readme"
dumps=$(grep -c '^<!-- dump: ' "$readme")
if [ ! -e errors ] && [ "$dumps" -gt 0 ] && diff -u <(without_grain "$readme") <(without_grain fresh.md) >diff.log; then
  echo "$dumps passed, 0 failed, 0 skipped"
  exit 0
fi
echo "FAIL walk: compiler/README.md shows what macec no longer prints; MACEC_BLESS=1 accepts it"
cat errors 2>/dev/null
sed -n '3,30s/^/    /p' diff.log 2>/dev/null
echo "0 passed, 1 failed, 0 skipped"
exit 1
