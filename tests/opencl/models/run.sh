#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Real models on an OpenCL device (PoCL where there is no other): run.sh [CHECK...], where CHECK is the name of a check_*.py without both ends.
set -u
. "$(dirname "$0")/../../support/common.sh"
[ -d "$MACEC_SHARED/zoo" ] || skip_folder "no folder $MACEC_SHARED/zoo"
need_python onnx numpy onnxruntime
here=$root/tests/opencl/models
export PYTHONPATH="$root/tests/support:$root/tests/models:${PYTHONPATH:-}"
"$MACEC_PYTHON" "$root/tests/models/prepare.py" "$MACEC_SHARED" "$MACEC_CACHE/zoo" mobilenetv2_100 mobilenetv3_large_100 resnet18 squeezenet1_1 \
  unet_small style_transfer_small bert_mini vit_tiny_patch16_224 dscnn_kws mobilenetv2_100_float16 bert_mini_float16 bert_mini_dynamic ||
  { echo "FAIL opencl/models: prepare.py"; echo "0 passed, 1 failed, 0 skipped"; exit 1; }
checks=("$@")
[ ${#checks[@]} -gt 0 ] || checks=(values cross)
run_checks "$here" "$MACEC_BUILD/opencl/models" "${checks[@]}"
