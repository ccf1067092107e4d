#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes conv_relu.onnx, the model that compiler/README.md follows through the compiler: y = Relu(Conv(x)).

The model is committed; run this (it needs numpy and onnx) only to change it. The weights are small
fractions, so that they are exact in float32 and readable in generated code.
"""
import os

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper

OUT_CHANNELS, IN_CHANNELS, SIZE, KERNEL = 4, 3, 8, 3


def model():
    count = OUT_CHANNELS * IN_CHANNELS * KERNEL * KERNEL
    weights = ((numpy.arange(count) * 7 % 17 - 8) / 16).astype(numpy.float32)
    bias = numpy.array([0.5, -0.25, 0, 0.125], numpy.float32)
    graph = helper.make_graph(
        [helper.make_node("Conv", ["x", "weight", "bias"], ["conv"], "conv", pads=[1, 1, 1, 1]),
         helper.make_node("Relu", ["conv"], ["y"], "relu")],
        "conv_relu",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, IN_CHANNELS, SIZE, SIZE])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [1, OUT_CHANNELS, SIZE, SIZE])],
        [numpy_helper.from_array(weights.reshape(OUT_CHANNELS, IN_CHANNELS, KERNEL, KERNEL), "weight"),
         numpy_helper.from_array(bias, "bias")])
    made = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    made.ir_version = 8
    onnx.checker.check_model(made, full_check=True)
    return made


if __name__ == "__main__":
    path = os.path.join(os.path.dirname(os.path.abspath(__file__)), "conv_relu.onnx")
    with open(path, "wb") as file:
        file.write(model().SerializeToString())
