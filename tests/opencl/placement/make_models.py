#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models whose steps are for one device or the other: make_models.py OUT writes them all.

Convolutions here are worth a GPU. What only the CPU can do is arithmetic in double.
"""
import pathlib
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, BOOL = TensorProto.FLOAT, TensorProto.BOOL


def value(name, *shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def weight(name, *shape):
    numbers = np.arange(int(np.prod(shape))) * 37 % 101
    return numpy_helper.from_array(((numbers - 50) / (50 * np.sqrt(np.prod(shape[1:])))).reshape(shape).astype(np.float32), name)


def conv(x, w, y, name):
    return helper.make_node("Conv", [x, w], [y], name=name, pads=[1, 1, 1, 1])


def in_double(x, y, name):
    """Its own step: a reduction is no fused step of what stands before it."""
    return [helper.make_node("Cast", [x], [name + "_wide"], name=name + "_widen", to=TensorProto.DOUBLE),
            helper.make_node("ReduceSum", [name + "_wide", "last"], [name + "_sum"], name=name, keepdims=1),
            helper.make_node("Cast", [name + "_sum"], [y], name=name + "_narrow", to=FLOAT)]


def model(nodes, inputs, outputs, weights):
    graph = helper.make_graph(nodes, "g", inputs, outputs, weights)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9, producer_name="tests/opencl")


LAST = numpy_helper.from_array(np.array([3], np.int64), "last")
WEIGHTS = [weight("w0", 32, 8, 3, 3), weight("w1", 32, 32, 3, 3), LAST]


def whole():
    nodes = [conv("x", "w0", "a", "first"), helper.make_node("Relu", ["a"], ["b"], name="act"), conv("b", "w1", "y", "second")]
    return model(nodes, [value("x", 1, 8, 32, 32)], [value("y", 1, 32, 32, 32)], WEIGHTS)


def middle():
    nodes = [conv("x", "w0", "a", "first"), *in_double("a", "b", "sum"), conv("b", "w1", "y", "second")]
    return model(nodes, [value("x", 1, 8, 32, 32)], [value("y", 1, 32, 32, 1)], WEIGHTS)


def fused():
    """A step in double that would be fused into the convolution before it stands alone."""
    nodes = [conv("x", "w0", "a", "first"), helper.make_node("Cast", ["a"], ["wide"], name="widen", to=TensorProto.DOUBLE),
             helper.make_node("Floor", ["wide"], ["floor"], name="floor"),
             helper.make_node("Cast", ["floor"], ["b"], name="narrow", to=FLOAT), conv("b", "w1", "y", "second")]
    return model(nodes, [value("x", 1, 8, 32, 32)], [value("y", 1, 32, 32, 32)], WEIGHTS)


def two_sides():
    """Written so that the device would change three times; two changes are enough."""
    nodes = [*in_double("s", "a", "one"), conv("x", "w0", "b", "first"), *in_double("t", "c", "two"),
             helper.make_node("Sum", ["a", "b", "c"], ["d"], name="all"), conv("d", "w1", "y", "second")]
    return model(nodes, [value("s", 1, 32, 32, 32), value("x", 1, 8, 32, 32), value("t", 1, 32, 32, 32)], [value("y", 1, 32, 32, 32)], WEIGHTS)


def control():
    def branch(name, op):
        node = helper.make_node(op, ["a"], [name], name=name)
        return helper.make_graph([node], name, [], [value(name, 1, 32, 32, 32)])

    nodes = [conv("x", "w0", "a", "first"),
             helper.make_node("If", ["flag"], ["b"], name="choice", then_branch=branch("up", "Relu"), else_branch=branch("down", "Neg")),
             conv("b", "w1", "y", "second")]
    return model(nodes, [value("x", 1, 8, 32, 32), value("flag", dtype=BOOL)], [value("y", 1, 32, 32, 32)], WEIGHTS)


def ranged():
    nodes = [conv("x", "w0", "y", "first")]
    return model(nodes, [value("x", "batch", 8, 32, 32)], [value("y", "batch", 32, 32, 32)], WEIGHTS[:1])


def memory():
    """A state that a kernel reads and writes."""
    nodes = [conv("x", "w0", "a", "first"), helper.make_node("Add", ["a", "h"], ["next"], name="sum"), conv("next", "w1", "y", "second")]
    return model(nodes, [value("x", 1, 8, 32, 32), value("h", 1, 32, 32, 32)], [value("y", 1, 32, 32, 32), value("next", 1, 32, 32, 32)],
                 WEIGHTS)


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for make in (whole, middle, fused, two_sides, control, ranged, memory):
        onnx.save(make(), out / f"{make.__name__}.onnx")


if __name__ == "__main__":
    main()
