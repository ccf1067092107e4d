# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Small models, one for each contract. Every function returns an onnx model; weights are drawn from a fixed seed."""
import numpy as np
import onnx
from onnx import TensorProto as T
from onnx import helper as h
from onnx import numpy_helper as nh


def rng():
    return np.random.RandomState(3)


def floats(*shape, scale=0.3):
    return (rng().standard_normal(shape) * scale).astype(np.float32)


def value(name, shape, dtype=T.FLOAT):
    return h.make_tensor_value_info(name, dtype, shape)


def model(nodes, inputs, outputs, weights=(), opset=21):
    graph = h.make_graph(nodes, "m", inputs, outputs, [nh.from_array(a, n) for n, a in dict(weights).items()])
    return h.make_model(graph, opset_imports=[h.make_opsetid("", opset)], ir_version=10)


def small_net(batch="batch", height=12, channels=24):
    """Conv, depthwise Conv, 1x1 Conv with a residual, pooled, Gemm, Softmax: window, gemm and pointwise kernels."""
    w = {"w1": floats(channels, 3, 3, 3), "b1": floats(channels), "w2": floats(channels, 1, 3, 3), "w3": floats(channels, channels, 1, 1),
         "w4": floats(channels, 10), "b4": floats(10), "axes": np.array([2, 3], np.int64)}
    nodes = [
        h.make_node("Conv", ["x", "w1", "b1"], ["c1"], name="c1", pads=[1, 1, 1, 1], strides=[2, 2]),
        h.make_node("Relu", ["c1"], ["r1"], name="r1"),
        h.make_node("Conv", ["r1", "w2"], ["c2"], name="c2", pads=[1, 1, 1, 1], group=channels),
        h.make_node("Relu", ["c2"], ["r2"], name="r2"),
        h.make_node("Conv", ["r2", "w3"], ["c3"], name="c3"),
        h.make_node("Add", ["c3", "r1"], ["a3"], name="a3"),
        h.make_node("ReduceMean", ["a3", "axes"], ["p"], name="p", keepdims=0),
        h.make_node("Gemm", ["p", "w4", "b4"], ["g"], name="g"),
        h.make_node("Softmax", ["g"], ["y"], name="s", axis=-1),
    ]
    return model(nodes, [value("x", [batch, 3, height, 16])], [value("y", [batch, 10])], w)


def conv_of_height():
    """Spatial size from the app: [1, 3, height, 16] to [1, 4, height / 2, 8]."""
    nodes = [h.make_node("Conv", ["x", "w"], ["c"], name="c", pads=[1, 1, 1, 1], strides=[2, 2]), h.make_node("Relu", ["c"], ["y"], name="r")]
    return model(nodes, [value("x", [1, 3, "height", 16])], [value("y", [1, 4, "rows", 8])], {"w": floats(4, 3, 3, 3)})


def shape_arithmetic():
    """Reshape to [batch, 2, width / 2], its target worked out by Shape, Gather, Div and Concat."""
    w = {"zero": np.array(0, np.int64), "one": np.array(1, np.int64), "two": np.array([2], np.int64), "two0": np.array(2, np.int64), "axis": np.array([0], np.int64)}
    nodes = [
        h.make_node("Shape", ["x"], ["s"]), h.make_node("Gather", ["s", "zero"], ["n"]), h.make_node("Gather", ["s", "one"], ["w0"]),
        h.make_node("Div", ["w0", "two0"], ["half"]), h.make_node("Unsqueeze", ["n", "axis"], ["n1"]),
        h.make_node("Unsqueeze", ["half", "axis"], ["half1"]), h.make_node("Concat", ["n1", "two", "half1"], ["target"], axis=0),
        h.make_node("Reshape", ["x", "target"], ["r"], name="r"), h.make_node("Relu", ["r"], ["y"], name="relu"),
    ]
    return model(nodes, [value("x", ["batch", "width"])], [value("y", ["batch", 2, "half"])], w)


def two_extents():
    """a[n, 4] + b[m, 4]: n and m must agree when the model runs."""
    return model([h.make_node("Add", ["a", "b"], ["y"], name="sum")], [value("a", ["n", 4]), value("b", ["m", 4])], [value("y", ["n", 4])])


def nested_if():
    """If inside If; branches read a graph input, an initializer and a node's output of the graphs around."""
    inner_then = h.make_graph([h.make_node("Mul", ["d", "w"], ["it"])], "inner_then", [], [value("it", [2, 3])])
    inner_else = h.make_graph([h.make_node("Sub", ["x", "d"], ["ie"])], "inner_else", [], [value("ie", [2, 3])])
    outer_then = h.make_graph([h.make_node("If", ["q"], ["ot"], then_branch=inner_then, else_branch=inner_else)], "outer_then", [], [value("ot", [2, 3])])
    outer_else = h.make_graph([h.make_node("Relu", ["d"], ["oe"])], "outer_else", [], [value("oe", [2, 3])])
    nodes = [h.make_node("Add", ["x", "w"], ["d"], name="d"),
             h.make_node("If", ["p"], ["z"], name="choice", then_branch=outer_then, else_branch=outer_else),
             h.make_node("Add", ["z", "x"], ["y"], name="last")]
    return model(nodes, [value("x", [2, 3]), value("p", [], T.BOOL), value("q", [], T.BOOL)], [value("y", [2, 3])], {"w": floats(2, 3)})


def branch_of_wrong_types(inner=5):
    """state + x where c holds, else a product whose inner extents differ: only runs with c succeed. For --state h=hn."""
    good = h.make_graph([h.make_node("Add", ["h", "x"], ["t"], name="sum")], "good", [], [value("t", [4])])
    bad = h.make_graph([h.make_node("Exp", ["x"], ["e0"]), h.make_node("MatMul", ["e0", "w"], ["e"], name="product")], "bad", [], [value("e", [4])])
    nodes = [h.make_node("If", ["c"], ["hn"], name="choice", then_branch=good, else_branch=bad),
             h.make_node("Add", ["hn", "hn"], ["y"], name="twice")]
    return model(nodes, [value("x", [4]), value("c", [], T.BOOL), value("h", [4])], [value("y", [4]), value("hn", [4])], {"w": floats(inner, 4)})


def extents_of_a_branch():
    """a[n] + b[m] where c holds, else a: n and m must agree only in runs with c."""
    both = h.make_graph([h.make_node("Add", ["a", "b"], ["t"], name="sum")], "both", [], [value("t", ["n"])])
    one = h.make_graph([h.make_node("Relu", ["a"], ["e"])], "one", [], [value("e", ["n"])])
    nodes = [h.make_node("If", ["c"], ["y"], name="choice", then_branch=both, else_branch=one)]
    return model(nodes, [value("a", ["n"]), value("b", ["m"]), value("c", [], T.BOOL)], [value("y", ["n"])])


def kept_elements_and_others():
    """The elements of x[8] where c holds, plus b[m]: as many must be kept as b has."""
    nodes = [h.make_node("Compress", ["x", "c"], ["k"], name="keep", axis=0), h.make_node("Add", ["k", "b"], ["y"], name="sum")]
    return model(nodes, [value("x", [8]), value("c", [8], T.BOOL), value("b", ["m"])], [value("y", ["n"])])


def slice_of_computed_length():
    """The first k rows of x, k the sum of two inputs: for --bound k=4."""
    nodes = [h.make_node("Add", ["i", "j"], ["k"], name="sum"), h.make_node("Slice", ["x", "zero", "k", "zero"], ["s"], name="first"),
             h.make_node("Neg", ["s"], ["y"], name="turn")]
    return model(nodes, [value("x", [6, 3]), value("i", [1], T.INT64), value("j", [1], T.INT64)], [value("y", ["n", 3])], {"zero": np.array([0])})


def loop_with_scan(trips="input"):
    """A carried sum, a scan output of every sum, an outer value captured; the trip count is an input or a constant."""
    body = h.make_graph([
        h.make_node("Add", ["state", "step"], ["next"], name="add"),
        h.make_node("Identity", ["go"], ["go_on"]),
        h.make_node("Mul", ["next", "scale"], ["row"], name="scaled"),
    ], "body", [value("i", [], T.INT64), value("go", [], T.BOOL), value("state", [3])],
        [value("go_on", [], T.BOOL), value("next", [3]), value("row", [3])])
    w = {"scale": np.array([2, 3, 4], np.float32), "go0": np.array(True)}
    inputs = [value("x", [3]), value("step", [3])]
    if trips == "input":
        inputs.append(value("trips", [], T.INT64))
    else:
        w["trips"] = np.array(trips, np.int64)
    nodes = [h.make_node("Loop", ["trips", "go0", "x"], ["last", "rows"], name="loop", body=body)]
    return model(nodes, inputs, [value("last", [3]), value("rows", ["n", 3])], w)


def counter():
    """state + x, twice the sum as a result: for --state h=hn."""
    nodes = [h.make_node("Add", ["h", "x"], ["hn"], name="sum"), h.make_node("Add", ["hn", "hn"], ["y"], name="twice")]
    return model(nodes, [value("x", [4]), value("h", [4])], [value("y", [4]), value("hn", [4])])


def two_outputs():
    return model([h.make_node("Relu", ["x"], ["y"], name="r"), h.make_node("Exp", ["x"], ["z"], name="e")], [value("x", [2, 4])],
                 [value("y", [2, 4]), value("z", [2, 4])])


def int4_weights():
    """MatMul by a DequantizeLinear of packed int4, blocked along axis 0."""
    q = rng().randint(-8, 8, (64, 32))
    packed = h.make_tensor("q", T.INT4, [64, 32], q.flatten().tolist())
    scale = np.abs(floats(4, 32)) + 0.01
    nodes = [h.make_node("DequantizeLinear", ["q", "scale"], ["w"], name="dq", axis=0, block_size=16), h.make_node("MatMul", ["x", "w"], ["y"], name="mm")]
    m = model(nodes, [value("x", [5, 64])], [value("y", [5, 32])], {"scale": scale.astype(np.float32)})
    m.graph.initializer.append(packed)
    return m


def half_net():
    """A float16 model: Conv, Relu, Add, MatMul."""
    w = {"w": floats(8, 3, 3, 3).astype(np.float16), "b": floats(8).astype(np.float16), "m": floats(8, 8).astype(np.float16)}
    nodes = [h.make_node("Conv", ["x", "w", "b"], ["c"], name="c", pads=[1, 1, 1, 1]), h.make_node("Relu", ["c"], ["r"], name="r"),
             h.make_node("MatMul", ["r", "m"], ["g"], name="mm"), h.make_node("Add", ["g", "r"], ["y"], name="a")]
    return model(nodes, [value("x", [1, 3, 8, 8], T.FLOAT16)], [value("y", [1, 8, 8, 8], T.FLOAT16)], w)
