# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Graphs whose structure is unusual, not their operators: see beyond.py."""
import ml_dtypes
import numpy as np
from onnx import TensorProto, helper, numpy_helper

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


def single_places():
    """Two results with one element along the axis, one of them written where a Transpose puts it."""
    nodes = [node("TopK", "x k", "v i", axis=-2), node("Transpose", "v", "y", perm=[2, 0, 1, 3])]
    yield Case("top_one_and_its_transpose", nodes, {"x": uniform(4, 3, 5, 2)}, ["y", "i"], constants={"k": np.array([1])})


def counted_beside_others():
    """Rows that a run counts, joined along the other axis with as many as it must find."""
    boxes = np.float32([[[0, 0, 1, 1], [0, 0, 1.1, 1]]])
    yield Case("counted_rows_beside_others", [node("NonMaxSuppression", "b s most", "v"), node("Concat", "o v", "y", axis=1)],
               {"b": boxes, "s": np.float32([[[0.5, 0.7]]]), "o": np.array([[7]])}, ["y"], constants={"most": np.array([1])},
               expected=[np.array([[7, 0, 0, 1]])])


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


def carried_conditions():
    """What decides a branch or an inner loop is itself carried, stacked, or a part of an output."""
    def info(name, dtype=TensorProto.FLOAT, shape=()):
        return helper.make_tensor_value_info(name, dtype, shape)

    def graph(nodes, *results, inputs=()):
        return helper.make_graph(nodes, "body", list(inputs), list(results))

    x, head = uniform(3), [info("it", TensorProto.INT64), info("go", TensorProto.BOOL)]
    goes, kept = info("goes", TensorProto.BOOL), node("Identity", "go", "goes")
    both = {"then_branch": graph([node("Add", "a x", "t")], info("t", shape=[3])), "else_branch": graph([node("Mul", "a x", "e")], info("e", shape=[3]))}
    turn = graph([node("If", "p", "u", **both), node("Not", "p", "q"), kept], goes, info("u", shape=[3]), info("q", TensorProto.BOOL),
                 info("p", TensorProto.BOOL), inputs=[*head, info("a", shape=[3]), info("p", TensorProto.BOOL)])
    yield Case("carried_condition", helper.make_node("Loop", ["n", "", "x", "p0"], ["y", "q", "ps"], body=turn), {"x": x, "p0": np.array(True)},
               ["y", "q", "ps"], 18, {"n": np.array(3)}, expected=[2 * x * x + x, np.array(False), np.array([True, False, True])])
    add = graph([node("Add", "b x", "c"), node("Identity", "g2", "o2")], info("o2", TensorProto.BOOL), info("c", shape=[3]),
                inputs=[info("j", TensorProto.INT64), info("g2", TensorProto.BOOL), info("b", shape=[3])])
    more = graph([helper.make_node("Loop", ["t", "", "a"], ["u"], body=add), node("Add", "t t", "t2"), kept], goes, info("u", shape=[3]),
                 info("t2", TensorProto.INT64), info("t", TensorProto.INT64), inputs=[*head, info("a", shape=[3]), info("t", TensorProto.INT64)])
    yield Case("carried_trip_count", helper.make_node("Loop", ["n", "", "x", "t0"], ["y", "t9", "ts"], body=more), {"x": x, "t0": np.array(1)},
               ["y", "t9", "ts"], 18, {"n": np.array(3)}, expected=[8 * x, np.array(8), np.array([1, 2, 4])])
    pick = [node("Not", "flags", "others"), node("Gather", "others one", "p"), node("If", "p", "y", **both)]
    flags = np.array([True, False, True])
    yield Case("condition_in_an_output", pick, {"flags": flags, "x": x, "a": x}, ["y", "others"], 18, {"one": np.array(1)}, expected=[2 * x, ~flags])
    until = graph([node("Add", "a x", "u"), node("ReduceMax", "u", "m"), node("Less", "m five", "goes")], info("goes", TensorProto.BOOL, [1]),
                  info("u", shape=[3]), inputs=[info("it", TensorProto.INT64), info("go", TensorProto.BOOL, [1]), info("a", shape=[3])])
    yield Case("condition_of_one_axis", helper.make_node("Loop", ["", "yes", "x"], ["y"], body=until), {"x": np.float32([1, 2, 1])}, ["y"], 18,
               {"yes": np.array([True]), "five": np.float32([5])}, expected=[np.float32([3, 6, 3])])


def packed():
    """Elements of less than a byte are handed through, from an input and from a constant."""
    x = np.array([1, -3, 5]).astype(ml_dtypes.int4)
    yield Case("packed_input", node("Identity", "x", "y"), {"x": x}, ["y"], expected=[x])
    yield Case("packed_constant", node("Identity", "w", "y"), {}, ["y"], constants={"w": x}, expected=[x])


def odd_shapes():
    """Weights that are computed and have the result's shape; results without an element."""
    x, w = uniform(1, 1, 1), uniform(1, 2, 3)
    yield Case("weights_as_large_as_the_result", node("ConvTranspose", "x w", "y"), {"x": x, "w": w}, ["y"], expected=[x[0, 0, 0] * w])
    x, w = uniform(2, 2, 5), uniform(2, 2, 3)
    yield Case("weights_of_the_results_shape", node("Conv", "x w", "y"), {"x": x, "w": w}, ["y"])
    nothing = uniform(3, 4, 0)
    for op in ("Softmax", "LogSoftmax"):
        yield Case(f"{op}_of_nothing", node(op, "x", "y", axis=0), {"x": nothing}, ["y"], expected=[nothing])


def sparse():
    """Values at places, counted in the whole tensor or along each axis."""
    x, w = uniform(2, 3), np.zeros((2, 3), np.float32)
    w[0, 1], w[1, 2] = 5, -2
    for name, places in (("flat", [1, 5]), ("by_axis", [[0, 1], [1, 2]])):
        tensor = helper.make_sparse_tensor(numpy_helper.from_array(np.float32([5, -2])), numpy_helper.from_array(np.array(places)), [2, 3])
        yield Case(f"sparse_constant_{name}", [helper.make_node("Constant", [], ["w"], sparse_value=tensor), node("Add", "x w", "y")], {"x": x},
                   ["y"], expected=[x + w])


def cases():
    yield from many_inputs()
    yield from single_places()
    yield from counted_beside_others()
    yield from count_alone()
    yield from loops()
    yield from carried_conditions()
    yield from packed()
    yield from odd_shapes()
    yield from sparse()
