# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose structure is unusual, not their operators: see beyond.py."""
import numpy as np
from onnx import TensorProto, helper

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


def loops():
    """A carried value that grows is no loop any more; a trip count that only says 'for ever' is no bound."""
    def info(name, dtype=TensorProto.FLOAT, shape=()):
        return helper.make_tensor_value_info(name, dtype, shape)

    head = [info("it", TensorProto.INT64), info("go", TensorProto.BOOL)]
    grow = helper.make_graph([node("Identity", "go", "goes"), node("Concat", "acc x", "more", axis=0), node("ReduceSum", "more", "sum")],
                             "body", [*head, info("acc", shape=["k", 3])],
                             [info("goes", TensorProto.BOOL), info("more", shape=["l", 3]), info("sum", shape=[1, 1])])
    a, x = uniform(1, 3), uniform(2, 3)
    more = [np.concatenate([a] + [x] * i) for i in range(4)]
    yield Case("loop_that_grows", helper.make_node("Loop", ["n", "yes", "a"], ["y", "z"], body=grow), {"a": a, "x": x}, ["y", "z"], 18,
               {"n": np.array(3), "yes": np.array(True)}, expected=[more[3], np.stack([m.sum(keepdims=True) for m in more[1:]])])
    half = helper.make_graph([node("Mul", "v half", "w"), node("Greater", "w one", "goes"), node("Identity", "w", "o")], "body",
                             [*head, info("v")], [info("goes", TensorProto.BOOL), info("w"), info("o")])
    steps = np.float32([10, 5, 2.5, 1.25, 0.625])
    for trips in ("", "n"):
        constants = {"yes": np.array(True), "half": np.array(0.5, np.float32), "one": np.array(1, np.float32)}
        if trips:
            constants["n"] = np.array(2**63 - 1)
        yield Case(f"while_with_rows{trips}", helper.make_node("Loop", [trips, "yes", "v0"], ["y", "z"], body=half),
                   {"v0": np.array(20, np.float32)}, ["y", "z"], 18, constants, expected=[steps[-1], steps])


def cases():
    yield from many_inputs()
    yield from count_alone()
    yield from loops()
