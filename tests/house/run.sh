#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The rules of the house: includes, licence lines, READMEs.
set -eu
. "$(dirname "$0")/../support/common.sh"
have python3 || skip_folder "no python3"
exec python3 "$root/tests/house/run.py"
