# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models that must run wholly on a GPU, and the targets that have one."""
import zoo

MODELS = ["mobilenetv2_100", "mobilenetv3_large_100", "resnet18", "squeezenet1_1", "unet_small", "style_transfer_small", "bert_mini",
          "vit_tiny_patch16_224"]
FEW = ["mobilenetv2_100", "style_transfer_small", "bert_mini"]
FLOAT16 = ["mobilenetv2_100_float16", "bert_mini_float16"]
TARGETS = ["x86-64-opencl", "x86-64-adreno", "x86-64-mali"]


def model_file(name):
    return zoo.folder(name) / "model.onnx"
