#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Time on an OpenCL device beside tinygrad's: opencl.sh FOLDER [MODEL...] [--target T] [--check]; opencl.py says more.
set -eu
. "$(dirname "$0")/../support/common.sh"
exec "$MACEC_PYTHON" "$root/tests/bench/opencl.py" "$@"
