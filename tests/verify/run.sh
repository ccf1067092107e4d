#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tests `macec verify` itself: run.sh [NAME...]
set -eu
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
exec "$MACEC_PYTHON" "$root/tests/verify/run.py" "$@"
