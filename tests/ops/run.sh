#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operators in portable C++, and forms that the node tests do not have.
set -u
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
"$MACEC_PYTHON" "$root/tests/conformance/write_node_tests.py" "$MACEC_CACHE/node" || exit 1
outputs=$(mktemp)
trap 'rm -f "$outputs"' EXIT
for check in "run.py $MACEC_CACHE/node" beyond.py; do
  # shellcheck disable=SC2086  # a program and its arguments
  "$MACEC_PYTHON" "$root/tests/ops/"$check 2>&1 | tee -a "$outputs" | grep -vE '^[0-9]+ passed, [0-9]+ failed'
  tail -n 1 "$outputs" | grep -qE '^[0-9]+ passed, ' ||
    echo "0 passed, 1 failed, 0 skipped" >>"$outputs"
done
sum_counts passed failed skipped <"$outputs"
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
