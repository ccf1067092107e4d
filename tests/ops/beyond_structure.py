# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose structure is unusual, not their operators: see beyond.py."""
import numpy as np
from onnx import helper

from beyond import Case

RANDOM = np.random.default_rng(11)


def uniform(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def node(op, inputs, outputs, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def many_inputs():
    """More inputs than one kernel takes."""
    inputs = {f"x{i}": uniform(3) if i % 2 else uniform(2, 3) for i in range(40)}
    for op in ("Sum", "Max", "Min", "Mean"):
        yield Case(f"many_inputs_of_{op}", node(op, " ".join(inputs), "y"), inputs, ["y"])


def count_alone():
    """The number of elements that NonZero finds is used, and the places are not."""
    x = np.array([[0, 1, 2], [3, 0, 0]], np.float32)
    shape = [node("NonZero", "x", "places"), node("Shape", "places", "sizes"), node("Slice", "sizes one two", "n")]
    constants = {"one": np.array([1]), "two": np.array([2]), "three": np.float32(3) + np.zeros((), np.float32)}
    yield Case("count_alone_fills", shape + [node("ConstantOfShape", "n", "z"), node("Add", "z three", "y")], {"x": x}, ["y"],
               constants=constants, expected=[np.full(3, 3, np.float32)])
    yield Case("count_alone_tiles", shape + [node("Tile", "v n", "y")], {"x": x, "v": uniform(2)}, ["y"], constants=constants)
    yield Case("count_alone_expands", shape + [node("Concat", "n two", "to", axis=0), node("Expand", "v to", "y")],
               {"x": x, "v": uniform(2)}, ["y"], constants=constants)


def cases():
    yield from many_inputs()
    yield from count_alone()
