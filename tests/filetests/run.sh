#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Passes on graphs in text form.
set -eu
. "$(dirname "$0")/../support/common.sh"
exec "$MACEC_BUILD/tests/macec_filetests" "$root/tests/filetests"
