#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs every field case: run.sh [NAME...]
set -eu
. "$(dirname "$0")/../support/common.sh"
[ -d "$MACEC_SHARED/cases" ] || skip_folder "no folder $MACEC_SHARED/cases"
exec python3 "$root/tests/cases/run.py" "$MACEC_SHARED/cases" "$@"
