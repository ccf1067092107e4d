#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Time beside ONNX Runtime's: speed.sh [MODEL...] [--level N] [--check]; bench.py says more.
set -eu
. "$(dirname "$0")/../support/common.sh"
exec "$MACEC_PYTHON" "$root/tests/bench/bench.py" "$@"
