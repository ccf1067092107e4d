#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose steps go to two devices: make_models.py FOLDER

  wide        Conv, a shift in float64, Conv: only the CPU has the middle
  mixed       Conv, Relu, Conv, Add of the input: tests place the Relu on the CPU
  ends        Relu, Conv, Relu: tests place the ends on the CPU
"""
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

random = np.random.default_rng(1)


def weight(name, *shape):
    return numpy_helper.from_array((random.standard_normal(shape) * 0.1).astype(np.float32), name)


def conv(name, x, w, y):
    return helper.make_node("Conv", [x, w], [y], name=name, pads=[1, 1, 1, 1])


def save(folder, name, nodes, channels, weights):
    def value(n, c):
        return helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, c, 32, 32])

    graph = helper.make_graph(nodes, name, [value("x", channels[0])], [value("y", channels[1])], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(folder, name + ".onnx"))


def main(folder):
    w1, w2 = weight("w1", 16, 8, 3, 3), weight("w2", 8, 16, 3, 3)
    save(folder, "wide", [
        conv("first", "x", "w1", "a"), helper.make_node("Cast", ["a"], ["b"], name="in", to=TensorProto.DOUBLE),
        helper.make_node("Sub", ["b", "shift"], ["c"], name="middle"), helper.make_node("Cast", ["c"], ["d"], name="out", to=TensorProto.FLOAT),
        conv("last", "d", "w2", "y")], (8, 8), [w1, w2, numpy_helper.from_array(random.standard_normal((1, 16, 1, 1)), "shift")])
    save(folder, "mixed", [
        conv("first", "x", "w1", "a"), helper.make_node("Relu", ["a"], ["b"], name="middle"), conv("last", "b", "w2", "c"),
        helper.make_node("Add", ["c", "x"], ["y"], name="add")], (8, 8), [w1, w2])
    save(folder, "ends", [
        helper.make_node("Relu", ["x"], ["a"], name="begin"), conv("middle", "a", "w1", "b"),
        helper.make_node("Relu", ["b"], ["y"], name="end")], (8, 16), [w1])


main(sys.argv[1])
