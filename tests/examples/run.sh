#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The examples do what their READMEs say, and README.md has the lists that macec prints.
set -u
. "$(dirname "$0")/../support/common.sh"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
passed=0 failed=0 skipped=0

# check NAME COMMAND...
check() {
  local name=$1
  shift
  if "$@" >"$work/log" 2>&1; then
    passed=$((passed + 1))
    echo "ok $name"
  else
    failed=$((failed + 1))
    echo "FAIL $name: $(grep -m 1 -iE 'error|fail|wrong' "$work/log" || tail -n 1 "$work/log")"
    sed 's/^/    /' "$work/log" | tail -n 40
  fi
}

skip() {
  skipped=$((skipped + 1))
  echo "SKIP $1: $2"
}

fashion() { bash "$root/examples/fashion/run.sh" "$MACEC" "$work/fashion$1" "${@:2}"; }

if [ ! -f /usr/share/datasets/fashion-mnist/t10k-images-idx3-ubyte.gz ]; then
  skip fashion "the package dataset-fashion-mnist is missing"
else
  check "generated code recognises the 10,000 pictures" fashion -native
  if have aarch64-linux-gnu-g++ && have qemu-aarch64; then
    check "generated ARMv8 code recognises 200 pictures" fashion -arm --arm
  else
    skip "generated ARMv8 code" "no aarch64-linux-gnu-g++ or no qemu-aarch64"
  fi
  hetero() {
    bash "$root/examples/hetero/run.sh" "$MACEC" "$work/hetero" 200 >"$work/hetero.log" 2>&1 || { cat "$work/hetero.log"; return 1; }
    # Its README shows the placement as it is printed.
    grep '^placement: ' "$root/examples/hetero/README.md" | while read -r line; do
      grep -qxF "$line" "$work/hetero.log" || { echo "error: not printed: $line"; exit 1; }
    done
  }
  check "a model over GPU and CPU recognises 200 pictures; its README shows where it runs" hetero
  if [ -f "$work/hetero.log" ]; then sed -n 's/^ran on/     ran on/p' "$work/hetero.log"; fi
fi

for model in newer older net_default; do
  check "what PyTorch exports agrees with PyTorch: $model.onnx" \
    "$MACEC" verify "$root/tests/examples/pytorch/$model.onnx" \
    --data "$root/tests/examples/pytorch/net.npz"
done

bash "$root/tests/examples/cmake_app.sh" "$MACEC" "$work/cmake" >"$work/cmake.log" 2>&1
cat "$work/cmake.log"
check "README.md has the lists that macec prints" bash "$root/tests/readme_tables.sh" --check
counts="$passed passed, $failed failed, $skipped skipped"
sum_counts all_passed all_failed all_skipped < <(tail -n 1 "$work/cmake.log" && echo "$counts")
# shellcheck disable=SC2154  # set by sum_counts
echo "$all_passed passed, $all_failed failed, $all_skipped skipped"
[ "$all_failed" -eq 0 ]
