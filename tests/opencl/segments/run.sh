#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Models over two devices: their segments, and the copies of a run counted by the mock. See README.md.
set -u
. "$(dirname "$0")/../../support/common.sh"
here=$root/tests/opencl/segments
[ -x "$MACEC" ] || skip_folder "no macec at $MACEC"
need_python onnx numpy
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 70
passed=0 failed=0 skipped=0
mock=$work/libmacec_mock_opencl.so
g++ -std=c++17 -O1 -Wno-deprecated-declarations -fPIC -shared "$root/tests/opencl/mock/mock.cpp" -ldl -o "$mock" &&
  "$MACEC_PYTHON" "$here/make_models.py" . || { echo "FAIL segments: no mock or no models"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

# counts MODEL TARGET SEGMENTS FLAGS...
counts() {
  local model=$1 target=$2 segments=$3
  shift 3
  "$MACEC" "$model.onnx" "--target=$target" -o "$model.cpp" --force "$@" &&
    "$MACEC" inspect "$model.onnx" "--target=$target" --json "$@" >"$model.json" &&
    g++ -std=c++17 -O1 "-I$root" -I. "-DHEADER=\"$model.h\"" "-DMODEL=$model" "$here/copies.cpp" "$model.cpp" -ldl -o copies &&
    timeout 120 ./copies "$mock" >seen && "$MACEC_PYTHON" "$here/check.py" "$model.json" seen "$segments"
}
try() {
  if counts "$@" >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAIL segments: $*: $(cat log seen 2>/dev/null | tail -n 12 | tr '\n' ' ' | cut -c -600)"
  fi
}
for target in x86-64-opencl x86-64-adreno x86-64-mali; do
  try wide $target gpu,cpu,gpu --place=all=gpu
  try mixed $target gpu,cpu,gpu --place=all=gpu --place=middle=cpu
  try mixed $target gpu --place=all=gpu
  try ends $target gpu --no-fallback
done
echo "$passed passed, $failed failed, $skipped skipped"
[ $failed -eq 0 ]
