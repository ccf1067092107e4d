# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nodes as they were in the opsets 1 to 6: see beyond.py.

Expected outputs are those of a node of today that says the same (`today`), by the package's reference, or numpy's.
"""
import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

from beyond import Case, model_of

RANDOM = np.random.default_rng(6)


def uniform(*shape, low=-1.0, high=1.0, dtype=np.float32):
    return RANDOM.uniform(low, high, shape).astype(dtype)


def ints(*values):
    return np.array(values, np.int64)


def by_today(op, inputs, outputs=1, **attributes):
    """Outputs of a node of opset 18 with these inputs; None: not given."""
    names = [f"i{k}" if v is not None else "" for k, v in enumerate(inputs)]
    given = {n: v for n, v in zip(names, inputs) if v is not None}
    made = [f"o{k}" for k in range(outputs)]
    case = Case("today", helper.make_node(op, names, made, **attributes), given, made, 18)
    return ReferenceEvaluator(model_of(case)).run(None, given)


def old(name, op, opset, inputs, expected=None, outputs=1, constants=None, rest=None, **attributes):
    """A case of one node. Constants are inputs that the file holds."""
    given = {f"x{k}": v for k, v in enumerate(inputs)}
    made = [f"y{k}" for k in range(outputs)]
    constants = constants or {}
    node = helper.make_node(op, [*given, *constants], made, **attributes)
    if expected is not None and not isinstance(expected, list):
        expected = [expected]
    return Case(f"old_{op}_{name}", node, given, made, opset, constants, expected=expected, **(rest or {}))


# --- two operands

def binaries():
    a, b = uniform(2, 3, 4, 5), uniform(3, 4)
    at_1, behind = b.reshape(3, 4, 1), uniform(4, 5, low=0.5, high=2)
    for op, f in (("Add", np.add), ("Sub", np.subtract), ("Mul", np.multiply)):
        yield old("axis", op, 1, [a, b], f(a, at_1), broadcast=1, axis=1, consumed_inputs=[0, 0])
        yield old("suffix", op, 6, [a, behind], f(a, behind), broadcast=1)
        yield old("same_shape", op, 3, [a, a], f(a, a))
    yield old("constant", "Add", 4, [a], a + at_1, constants={"b": b}, broadcast=1, axis=1)
    yield old("suffix", "Div", 5, [a, behind], a / behind, broadcast=1)
    yield old("axis_from_behind", "Sub", 6, [a, b[0]], a - b[0].reshape(4, 1), broadcast=1, axis=-2)
    yield old("suffix", "Pow", 1, [np.abs(a), behind], np.abs(a) ** behind, broadcast=1)
    yield old("one_element_of_more_axes", "Mul", 6, [a[0, 0, 0], uniform(1, 1) * 0 + 3], a[0, 0, 0] * 3, broadcast=1)
    yield old("scalar", "Add", 6, [a, np.float32(2)], a + 2, broadcast=1)
    yield old("nothing", "Add", 6, [a[:0], b], a[:0] + at_1, broadcast=1, axis=1)
    p, q = a > 0, b > 0
    for op, f in (("And", np.logical_and), ("Or", np.logical_or), ("Xor", np.logical_xor)):
        yield old("axis", op, 1, [p, q], f(p, q.reshape(3, 4, 1)), broadcast=1, axis=1)
    for op, f in (("Greater", np.greater), ("Less", np.less)):
        yield old("axis", op, 1, [a, b], f(a, at_1), broadcast=1, axis=1)
    whole = RANDOM.integers(0, 3, (2, 3, 4)).astype(np.int32)
    yield old("axis", "Equal", 1, [whole, whole[0, :, 0]], whole == whole[0, :, :1], broadcast=1, axis=1)
    yield old("dynamic", "Add", 6, [a, b], a + at_1, broadcast=1, axis=1,
              rest={"shapes": {"x0": ["n", 3, "h", 5], "x1": [3, "h"]}, "flags": ("--dim=n=1..3", "--dim=h=1..6")})
    yield old("not_asked_for", "Add", 6, [a, behind], rest={"refused": "differ, and before opset 7"})
    yield old("axis_too_far", "Add", 6, [a, behind], broadcast=1, axis=3, rest={"refused": "cannot lie at axis 3"})
    yield old("axis_beyond_all", "Add", 6, [a, behind], broadcast=1, axis=2**63 - 1, rest={"refused": "cannot lie at axis"})
    yield old("other_extents", "Mul", 6, [a, behind], broadcast=1, axis=1, rest={"refused": "cannot be broadcast"})
    yield old("first_broadcast", "Mul", 6, [a[:, :, :, :1], behind], broadcast=1, rest={"refused": "cannot be broadcast"})
    yield old("wrong_kind", "Mul", 6, [a, behind], broadcast=1.0, rest={"refused": "'broadcast' is of the wrong kind"})


def slopes():
    x, slope = uniform(2, 3, 4, 5), uniform(3)
    for opset in (1, 6):
        yield old(f"by_channel_{opset}", "PRelu", opset, [x, slope], np.where(x < 0, x * slope.reshape(3, 1, 1), x))
    yield old("shared", "PRelu", 6, [x, slope[:1]], np.where(x < 0, x * slope[0], x))
    yield old("of_vectors", "PRelu", 6, [x[:, :, 0, 0], slope], np.where(x[:, :, 0, 0] < 0, x[:, :, 0, 0] * slope, x[:, :, 0, 0]))


def products():
    a, b, c = uniform(2, 3), uniform(3, 4), uniform(4)
    yield old("broadcast", "Gemm", 1, [a, b, c], a @ b * 0.5 + c, broadcast=1, alpha=0.5)
    yield old("whole", "Gemm", 6, [a, b.T.copy(), uniform(2, 4) * 0], a @ b, transB=1)
    yield old("not_asked_for", "Gemm", 6, [a, b, c], rest={"refused": "differ, and before opset 7"})


# --- attributes that became inputs, or went

def elementwise():
    x = uniform(2, 3, low=-3, high=3)
    for op in ("Abs", "Ceil", "Exp", "Floor", "Neg", "Relu", "Sigmoid", "Tanh", "Elu", "LeakyRelu", "HardSigmoid"):
        yield old("1", op, 1, [x], by_today(op, [x]), consumed_inputs=[0])
    for op in ("Log", "Sqrt", "Reciprocal"):
        yield old("1", op, 1, [np.abs(x)], by_today(op, [np.abs(x)]))
    for op in ("Max", "Min", "Mean", "Sum"):
        yield old("1", op, 1, [x, x[::-1].copy()], by_today(op, [x, x[::-1].copy()]), consumed_inputs=[0, 0])
    yield old("1", "Clip", 1, [x], np.clip(x, -1, None), min=-1.0, consumed_inputs=[0])
    yield old("6", "Clip", 6, [x], np.clip(x, -1, 0.5), min=-1.0, max=0.5)
    selu = by_today("Selu", [x], alpha=1.6732, gamma=1.0507)
    yield old("1", "Selu", 1, [x], selu, rest={"tolerance": "1e-6 1e-7"})
    yield old("6", "Selu", 6, [x], by_today("Selu", [x]), rest={"tolerance": "1e-6 1e-7"})
    for name, dtype in (("INT32", np.int32), ("DOUBLE", np.float64), ("BOOL", np.bool_), ("UINT8", np.uint8)):
        yield old(name, "Cast", 1, [np.abs(x)], np.abs(x).astype(dtype), to=name)
    yield old("6", "Cast", 6, [x], x.astype(np.int64), to=7)
    yield old("to_text", "Cast", 5, [x], to="STRING", rest={"refused": "a cast to 'STRING' is not supported"})
    yield old("is_test", "Dropout", 1, [x], x, is_test=1, ratio=0.3, consumed_inputs=[0])
    yield old("training", "Dropout", 6, [x], rest={"refused": "the node is in training mode"})
    yield old("too_new", "Acos", 6, [x], rest={"refused": "operator Acos of opset 6 is not supported"})
    yield old("experiment", "Affine", 1, [x], alpha=2.0, rest={"refused": "an experiment of opset 1"})


def normalizations():
    x, scale, bias = uniform(2, 3, 4, 5), uniform(3), uniform(3)
    mean, variance = uniform(3), uniform(3, low=0.5, high=2)
    inputs = [x, scale, bias, mean, variance]
    y = by_today("BatchNormalization", inputs, epsilon=1e-3)
    yield old("1", "BatchNormalization", 1, inputs, y, is_test=1, epsilon=1e-3, consumed_inputs=[0, 0, 0, 1, 1])
    yield old("6", "BatchNormalization", 6, inputs, y, is_test=1, epsilon=1e-3, spatial=1)
    yield old("training", "BatchNormalization", 6, inputs, rest={"refused": "training mode (is_test = 0)"})
    yield old("by_element", "BatchNormalization", 6, inputs, is_test=1, spatial=0, rest={"refused": "spatial = 0"})
    y = by_today("InstanceNormalization", inputs[:3])
    yield old("1", "InstanceNormalization", 1, inputs[:3], y, consumed_inputs=[0, 0, 0])
    yield old("1", "LRN", 1, [x], by_today("LRN", [x], size=3), size=3)


def pools():
    x = uniform(1, 2, 5, 6)
    pads = dict(kernel_shape=[3, 3], pads=[1, 1, 1, 1])
    yield old("1", "AveragePool", 1, [x], by_today("AveragePool", [x], **pads), **pads)
    yield old("1", "MaxPool", 1, [x], by_today("MaxPool", [x], **pads), **pads)
    yield old("1", "LpPool", 1, [x], by_today("LpPool", [x], kernel_shape=[2, 2], p=3), kernel_shape=[2, 2], p=3.0)
    yield old("1", "GlobalLpPool", 1, [x], np.abs(x).sum((2, 3), keepdims=True), p=1.0)
    yield old("2", "GlobalLpPool", 2, [x], np.sqrt((x * x).sum((2, 3), keepdims=True)))
    yield old("of_half", "GlobalLpPool", 1, [x], p=0.5, rest={"refused": "a norm of order 0.5"})


def moves():
    x = uniform(2, 6, 3)
    yield old("1", "Reshape", 1, [x], x.reshape(2, 18), shape=[0, -1], consumed_inputs=[0])
    yield old("5", "Reshape", 5, [x], x.reshape(4, 9), constants={"shape": ints(4, -1)})
    yield old("without_shape", "Reshape", 1, [x], rest={"refused": "'shape' is missing"})
    yield old("1", "Concat", 1, [x, x], np.concatenate([x, x], 1))
    yield old("4", "Concat", 4, [x, x], np.concatenate([x, x], 2), axis=2)
    yield old("4_without_axis", "Concat", 4, [x, x], rest={"refused": "'axis' is missing"})
    yield old("1", "Pad", 1, [x], np.pad(x, ((0, 1), (2, 0), (0, 3)), constant_values=1.5),
              paddings=[0, 2, 0, 1, 0, 3], value=1.5)
    yield old("2", "Pad", 2, [x], np.pad(x, ((0, 0), (2, 1), (0, 0)), "reflect"), pads=[0, 2, 0, 0, 1, 0], mode="reflect")
    yield old("axis", "Split", 1, [x], [x[:, :2], x[:, 2:3], x[:, 3:]], 3, axis=1, split=[2, 1, 3])
    yield old("sizes_as_input", "Split", 1, [x], [x[:, :4], x[:, 4:]], 2, {"split": np.float32([4, 2])}, axis=1)
    yield old("equal", "Split", 2, [x], [x[:1], x[1:]], 2)
    yield old("1", "Tile", 1, [x], np.tile(x, (1, 3, 1)), constants={"tiles": np.float32([3]), "axis": np.float32([1])})
    yield old("6", "Tile", 6, [x], np.tile(x, (2, 1, 2)), constants={"repeats": ints(2, 1, 2)})
    yield old("axis_too_far", "Tile", 1, [x], constants={"tiles": np.float32([3]), "axis": np.float32([3])},
              rest={"refused": "axis 3 is out of range"})
    yield old("1", "Slice", 1, [x], x[1:, 1:-1], axes=[0, 1], starts=[1, 1], ends=[9, -1])
    yield old("1", "Squeeze", 1, [x[:1]], x[0], axes=[0])
    yield old("1", "Unsqueeze", 1, [x], x[None, :, None], axes=[0, 2])
    yield old("1", "TopK", 1, [x], by_today("TopK", [x, ints(2)], 2, axis=1), 2, k=2, axis=1)
    yield old("1", "Transpose", 1, [x], x.transpose(2, 0, 1), perm=[2, 0, 1])
    yield old("1", "Flatten", 1, [x], x.reshape(2, 18))
    yield old("1", "Softmax", 1, [x], by_today("Softmax", [x.reshape(2, 18)])[0].reshape(x.shape))
    image = uniform(1, 2, 3, 4)
    yield old("1", "Upsample", 1, [image], image.repeat(2, 2).repeat(3, 3), height_scale=2.0, width_scale=3.0)
    scales = np.array([1, 1, 2, 2], np.float32)
    linear = by_today("Resize", [image, None, scales], mode="linear", coordinate_transformation_mode="asymmetric")
    yield old("bilinear", "Upsample", 1, [image], linear, mode="bilinear", height_scale=2.0, width_scale=2.0)
    yield old("1", "ReduceMean", 1, [x], x.mean(1, keepdims=True), axes=[1])
    yield old("1", "ArgMax", 1, [x], x.argmax(2), axis=2, keepdims=0)


def recurrent():
    x, w, r = uniform(5, 2, 3), uniform(1, 16, 3), uniform(1, 16, 4)
    for op, gates, opset in (("LSTM", 4, 1), ("GRU", 3, 1), ("GRU", 3, 3), ("RNN", 1, 1)):
        inputs = [x, w[:, :4 * gates].copy(), r[:, :4 * gates].copy()]
        outputs = 3 if op == "LSTM" else 2
        yield old(f"{opset}", op, opset, inputs, by_today(op, inputs, outputs, hidden_size=4), outputs, hidden_size=4,
                  output_sequence=1)


def cases():
    for part in (binaries, slopes, products, elementwise, normalizations, pools, moves, recurrent):
        yield from part()
