#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Operators on ARMv8, ARMv7 and portable C++.
set -eu
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
"$MACEC_PYTHON" "$root/tests/conformance/write_node_tests.py" "$MACEC_CACHE/node"
exec python3 "$root/tests/ops/run.py" "$MACEC_CACHE/node"
