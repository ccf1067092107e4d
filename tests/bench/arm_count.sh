#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# ARMv8 instructions of one inference: arm_count.sh [MODEL...] [--flags '-O3'] [--check]; count.py says more.
set -eu
. "$(dirname "$0")/../support/common.sh"
exec "$MACEC_PYTHON" "$root/tests/bench/count.py" "$@"
