#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares the texts of errors: run.sh [NAME...]; MACEC_BLESS=1 rewrites them.
set -eu
. "$(dirname "$0")/../support/common.sh"
need_python onnx numpy
models=$MACEC_BUILD/errors/models
rm -rf "$models"
"$MACEC_PYTHON" "$root/tests/errors/make_models.py" "$models"
exec python3 "$root/tests/errors/run.py" "$models" "$@"
