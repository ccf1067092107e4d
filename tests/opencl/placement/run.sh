#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Compares what runs where with texts, and runs it: run.sh [NAME...]; MACEC_BLESS=1 rewrites them.
set -eu
. "$(dirname "$0")/../../support/common.sh"
need_python onnx numpy
"$MACEC_BUILD/tests/macec_opencl_kernels" --has-device || skip_folder "no OpenCL device (Debian: pocl-opencl-icd)"
models=$MACEC_BUILD/opencl/placement
rm -rf "$models"
"$MACEC_PYTHON" "$root/tests/opencl/placement/make_models.py" "$models"
exec python3 "$root/tests/opencl/placement/run.py" "$models" "$@"
