#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Checks generated code of real models: run.sh [CHECK...], where CHECK is the name of a check_*.py without both ends.
set -u
. "$(dirname "$0")/../support/common.sh"
[ -d "$MACEC_SHARED/zoo" ] || skip_folder "no folder $MACEC_SHARED/zoo"
need_python onnx numpy onnxruntime
here=$root/tests/models
"$MACEC_PYTHON" "$here/prepare.py" "$MACEC_SHARED" "$MACEC_CACHE/zoo" all mobilenetv2_100_float16 bert_mini_float16 || { echo "FAIL models: prepare.py"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }

checks=("$@")
if [ ${#checks[@]} -eq 0 ]; then
  checks=(memory placement repeatable size_and_time values)
  [ "$MACEC_TIER" = quick ] || checks+=(float16 heap_and_symbols warnings sanitizers levels_unoptimized old_processor)
fi
run_checks "$here" "$MACEC_BUILD/models/outputs" "${checks[@]}"
