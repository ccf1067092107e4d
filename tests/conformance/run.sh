#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs ONNX's node tests and the package's stored ones: run.sh [NAME...]
set -eu
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
"$MACEC_PYTHON" "$root/tests/conformance/write_node_tests.py" "$MACEC_CACHE/node"
"$MACEC_PYTHON" "$root/tests/conformance/write_stored_tests.py" "$MACEC_CACHE/stored"
exec "$MACEC_PYTHON" "$root/tests/conformance/run.py" "$MACEC_CACHE/node" "$MACEC_CACHE/stored" "$@"
