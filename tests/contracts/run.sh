#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests of what generated code promises: run.sh [TEST...]
set -eu
. "$(dirname "$0")/../support/common.sh"
need_python numpy onnx onnxruntime
exec "$MACEC_PYTHON" "$root/tests/contracts/contracts.py" "$@"
