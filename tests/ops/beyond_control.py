# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""If, Loop and Scan beyond ONNX's node tests: see beyond.py."""
import numpy as np
from onnx import TensorProto, helper

from beyond import Case

RANDOM = np.random.default_rng(11)
FLOAT = TensorProto.FLOAT


def uniform(*shape):
    return RANDOM.uniform(-1, 1, shape).astype(np.float32)


def value(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


# --- Scan

def scan_node(nodes, states, slices, results, inputs, outputs, **attributes):
    """states, slices, results: {name: shape} of the body."""
    body = helper.make_graph(nodes, "body", [value(*item) for item in {**states, **slices}.items()],
                             [value(*item) for item in results.items()])
    return helper.make_node("Scan", inputs, outputs, name="scan", body=body, num_scan_inputs=len(slices), **attributes)


def running_sum(inputs, outputs, shape, **attributes):
    """Every sum of slices so far, and the last one."""
    nodes = [helper.make_node("Add", ["s", "x"], ["n"]), helper.make_node("Mul", ["n", "two"], ["y"]),
             helper.make_node("Constant", [], ["two"], value_float=2.0)]
    return scan_node(nodes, {"s": shape}, {"x": shape}, {"n": shape, "y": shape}, inputs, outputs, **attributes)


def scan_cases():
    start, xs = uniform(3), uniform(5, 3)
    sums = start + np.cumsum(xs, 0)
    back = start + np.cumsum(xs[::-1], 0)
    given, both = {"s0": start, "xs": xs}, ["last", "all"]
    plain = running_sum(["s0", "xs"], both, [3])
    yield Case("scan_forward", plain, given, both, expected=[sums[-1], 2 * sums])
    yield Case("scan_of_open_length", plain, given, both, shapes={"xs": ["n", 3]}, flags=("--dim=n=1..9",),
               expected=[sums[-1], 2 * sums])
    yield Case("scan_backward", running_sum(["s0", "xs"], both, [3], scan_input_directions=[1]), given, both,
               expected=[back[-1], 2 * back])
    yield Case("scan_backward_of_open_length", running_sum(["s0", "xs"], both, [3], scan_input_directions=[1]), given, both,
               shapes={"xs": ["n", 3]}, flags=("--dim=n=1..9",), expected=[back[-1], 2 * back])
    yield Case("scan_writes_backward", running_sum(["s0", "xs"], both, [3], scan_output_directions=[1]), given, both,
               expected=[sums[-1], 2 * sums[::-1]])
    yield Case("scan_along_other_axes", running_sum(["s0", "xs"], both, [3], scan_input_axes=[-1], scan_output_axes=[-1]),
               {"s0": start, "xs": np.ascontiguousarray(xs.T)}, both, expected=[sums[-1], 2 * sums.T])
    yield Case("scan_along_other_axes_both_backward",
               running_sum(["s0", "xs"], both, [3], scan_input_axes=[1], scan_output_axes=[1], scan_input_directions=[1],
                           scan_output_directions=[1]),
               {"s0": start, "xs": np.ascontiguousarray(xs.T)}, both, expected=[back[-1], 2 * back[::-1].T])
    yield Case("scan_over_nothing", plain, {"s0": start, "xs": uniform(0, 3)}, both, expected=[start, uniform(0, 3)])
    yield Case("scan_of_a_constant", plain, {"s0": start}, both, constants={"xs": xs}, expected=[sums[-1], 2 * sums])
    yield Case("scan_result_that_is_used_further", [plain, helper.make_node("Exp", ["all"], ["e"]), helper.make_node("Neg", ["e"], ["y"])],
               given, ["last", "y"], expected=[sums[-1], -np.exp(2 * sums)])
    unwanted = running_sum(["s0", "xs"], ["last", ""], [3])
    yield Case("scan_without_its_last_output", unwanted, given, ["last"], expected=[sums[-1]])
    product = scan_node([helper.make_node("MatMul", ["a", "w"], ["p"]), helper.make_node("Add", ["p", "b"], ["y"])],
                        {}, {"a": [2, 3], "b": [2, 4]}, {"y": [2, 4]}, ["as", "bs"], ["y"], scan_input_axes=[1, 0])
    a, b, w = uniform(2, 4, 3), uniform(4, 2, 4), uniform(3, 4)
    right = np.stack([a[:, i] @ w + b[i] for i in range(4)])
    yield Case("scan_of_two_inputs_with_a_captured_one", product, {"as": a, "bs": b, "w": w}, ["y"], expected=[right])
    yield Case("scan_with_captured_weights", product, {"as": a, "bs": b}, ["y"], constants={"w": w}, expected=[right])
    yield Case("scan_of_unequal_lengths", product, {"as": a, "bs": uniform(3, 2, 4), "w": w}, ["y"], refused="axis 0 of 'bs' is 3")
    yield Case("scan_of_lengths_to_agree", product, {"as": a, "bs": b, "w": w}, ["y"], shapes={"as": [2, "n", 3], "bs": ["m", 2, 4]},
               flags=("--dim=n=1..9", "--dim=m=1..9"), expected=[right])
    batch_start, batch = uniform(2, 3), uniform(2, 5, 3)
    batch_sums = batch_start[:, None] + np.cumsum(batch, 1)
    old = running_sum(["", "s0", "xs"], both, [3])
    yield Case("scan_8_of_a_batch", old, {"s0": batch_start, "xs": batch}, both, opset=8, expected=[batch_sums[:, -1], 2 * batch_sums])
    lengths = running_sum(["n", "s0", "xs"], both, [3])
    yield Case("scan_8_with_lengths", lengths, {"n": np.array([5, 3]), "s0": batch_start, "xs": batch}, both, opset=8,
               refused="sequence lengths")
    yield Case("scan_with_a_changing_state", scan_node([helper.make_node("Concat", ["s", "x"], ["n"], axis=0)], {"s": ["k"]}, {"x": [3]},
                                                       {"n": ["k2"]}, ["s0", "xs"], ["last"]), given, ["last"], refused="not supported")
    branch = helper.make_graph([running_sum(["s0", "xs"], ["t", "ignored"], [3])], "then", [], [value("t", [3])])
    other = helper.make_graph([helper.make_node("Neg", ["s0"], ["e"])], "else", [], [value("e", [3])])
    choice = helper.make_node("If", ["c"], ["y"], then_branch=branch, else_branch=other)
    for c in (True, False):
        yield Case(f"scan_in_a_branch_{c}", choice, {"s0": start, "xs": xs, "c": np.array(c)}, ["y"], expected=[sums[-1] if c else -start])


# --- BatchNormalization in training mode

def training(name, x, outputs=("y", "m", "v"), momentum=0.75, tolerance="1e-4 1e-5", flags=(), shapes=None):
    channels = x.shape[1]
    scale, bias, mean = uniform(channels), uniform(channels), uniform(channels)
    variance = np.abs(uniform(channels)) + 0.1
    axes = tuple(a for a in range(x.ndim) if a != 1)
    lie = [1, channels] + [1] * (x.ndim - 2)
    wide = x.astype(np.float64)
    now_mean, now_variance = wide.mean(axes), wide.var(axes)
    y = (wide - now_mean.reshape(lie)) / np.sqrt(now_variance.reshape(lie) + 1e-3) * scale.reshape(lie) + bias.reshape(lie)
    kept = [mean * momentum + now_mean * (1 - momentum), variance * momentum + now_variance * (1 - momentum)]
    inputs = {"x": x, "s": scale.astype(x.dtype), "b": bias.astype(x.dtype), "mean": mean, "variance": variance}
    node = helper.make_node("BatchNormalization", list(inputs), list(outputs), epsilon=1e-3, momentum=momentum, training_mode=1)
    expected = [y.astype(x.dtype)] + [k.astype(np.float32) for k in kept]
    right = [e for e, o in zip(expected, outputs) if o]
    return Case(f"training_norm_{name}", node, inputs, [o for o in outputs if o], 15, expected=right, tolerance=tolerance,
                flags=flags, shapes=shapes or {})


def training_norms():
    yield training("of_images", uniform(2, 3, 4, 5))
    yield training("of_vectors", uniform(7, 3))
    yield training("of_one_output", uniform(2, 3, 6), outputs=("y",))
    yield training("of_a_missing_output", uniform(2, 3, 6), outputs=("y", "", "v"))
    yield training("of_halves", uniform(4, 3, 5).astype(np.float16), tolerance="2e-3 2e-3")
    yield training("of_doubles", uniform(4, 3, 5).astype(np.float64))
    yield training("of_an_open_batch", uniform(4, 3, 5), flags=("--dim=n=1..6",), shapes={"x": ["n", 3, 5]})


# --- dimensions of a range that begins with 0

def empty(name, nodes, inputs, outputs=("y",), **rest):
    """The inputs at n = 0 in a range; every name's dimension n is where its extent is 0."""
    shapes = {k: [("n" if d == 0 else d) for d in v.shape] for k, v in inputs.items() if 0 in v.shape}
    return Case(f"empty_{name}", nodes, inputs, list(outputs), rest.pop("opset", 18), shapes=shapes, flags=("--dim=n=0..6",), **rest)


def node(op, inputs, outputs="y", **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), **attributes)


def empty_cases():
    x, m = uniform(0, 5), uniform(3, 0)
    axis1 = {"axes": np.array([1])}
    yield empty("pointwise", [node("Exp", "x", "e"), node("Add", "e b")], {"x": x, "b": uniform(5)})
    yield empty("joined_to_others", node("Concat", "x z", axis=0), {"x": x, "z": uniform(2, 5)})
    yield empty("product_over_nothing", node("MatMul", "m x"), {"m": m, "x": x})
    yield empty("product_over_nothing_plus_bias", node("Gemm", "m x b"), {"m": m, "x": x, "b": uniform(5)})
    yield empty("rows_by_weights", node("MatMul", "x w"), {"x": x}, constants={"w": uniform(5, 8)})
    yield empty("rows_by_weights_and_bias", [node("MatMul", "x w", "p"), node("Add", "p b", "q"), node("Relu", "q")], {"x": x},
                constants={"w": uniform(5, 8), "b": uniform(8)})
    yield empty("columns_by_weights", node("MatMul", "w m"), {"m": m}, constants={"w": uniform(2, 3)})
    yield empty("batch_of_products", node("MatMul", "a b"), {"a": uniform(0, 2, 3), "b": uniform(0, 3, 4)})
    for op, over in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -np.inf), ("ReduceMin", np.inf)):
        yield empty(f"{op.lower()}_over_nothing", node(op, "m axes"), {"m": m}, constants=axis1, expected=[np.full((3, 1), over, np.float32)],
                    opset=20)
        yield empty(f"{op.lower()}_of_no_rows", node(op, "x axes"), {"x": x}, constants=axis1, expected=[uniform(0, 1)], opset=20)
        yield empty(f"{op.lower()}_over_first_axis", node(op, "x axes", keepdims=0), {"x": x}, constants={"axes": np.array([0])},
                    expected=[np.full(5, over, np.float32)], opset=20)
    yield empty("softmax_of_no_rows", node("Softmax", "x", axis=1), {"x": x}, expected=[uniform(0, 5)])
    yield empty("softmax_over_nothing", node("Softmax", "m", axis=1), {"m": m}, expected=[uniform(3, 0)])
    yield empty("softmax_over_nothing_first", node("Softmax", "x", axis=0), {"x": x}, expected=[uniform(0, 5)])
    yield empty("layer_norm_of_no_rows", node("LayerNormalization", "x s", axis=-1), {"x": x, "s": uniform(5)}, expected=[uniform(0, 5)])
    yield empty("transposed", node("Transpose", "x", perm=[1, 0]), {"x": x})
    yield empty("gathered_from_others", node("Gather", "t i"), {"i": np.zeros((0, 2), np.int64)}, constants={"t": uniform(4, 3)})
    yield empty("gathered_nothing", node("Gather", "t i", axis=1), {"t": x}, constants={"i": np.array([1, -1])})
    yield empty("sliced", node("Slice", "x s e a"), {"x": x}, constants={"s": np.array([1]), "e": np.array([4]), "a": np.array([1])})
    yield empty("cut_from_the_front", node("Slice", "x s e a"), {"x": x}, constants={"s": np.array([0]), "e": np.array([3]), "a": np.array([0])})
    yield empty("last_of_joined", [node("Concat", "x z", "c", axis=0), node("Gather", "c i", axis=0)], {"x": x, "z": uniform(2, 5)},
                constants={"i": np.array(-1)})
    yield empty("reshaped", node("Reshape", "x to"), {"x": uniform(1, 0, 4, 2)}, constants={"to": np.array([1, -1, 8])}, expected=[uniform(1, 0, 8)])
    yield empty("padded", node("Pad", "x p"), {"x": x}, constants={"p": np.array([1, 0, 2, 0])})
    yield empty("expanded", node("Expand", "x to"), {"x": uniform(0, 1)}, constants={"to": np.array([2, 1, 3])})
    yield empty("tiled", node("Tile", "x r"), {"x": x}, constants={"r": np.array([2, 3])})
    yield empty("cast_and_compared", [node("Cast", "x", "i", to=TensorProto.INT64), node("Less", "i z", "y")], {"x": x},
                constants={"z": np.array(0)})
    yield empty("summed_up", node("CumSum", "x a"), {"x": x}, constants={"a": np.array(0)}, expected=[uniform(0, 5)])
    yield empty("argmax_of_no_rows", node("ArgMax", "x", axis=1), {"x": x}, expected=[np.zeros((0, 1), np.int64)])
    yield empty("sorted_rows", node("TopK", "x k", "v i"), {"x": x}, ("v", "i"), constants={"k": np.array([2])},
                expected=[uniform(0, 2), np.zeros((0, 2), np.int64)])
    yield empty("windows_of_no_images", node("Conv", "x w", kernel_shape=[3, 3]), {"x": uniform(0, 2, 6, 6)}, constants={"w": uniform(4, 2, 3, 3)},
                expected=[uniform(0, 4, 4, 4)])
    yield empty("pools_of_no_images", node("MaxPool", "x", kernel_shape=[2, 2]), {"x": uniform(0, 2, 6, 6)}, expected=[uniform(0, 2, 5, 5)])
    yield empty("mean_of_no_images", node("GlobalAveragePool", "x"), {"x": uniform(0, 2, 6, 6)}, expected=[uniform(0, 2, 1, 1)])
    yield empty("batch_norm_of_no_images", node("BatchNormalization", "x s b m v"), {"x": uniform(0, 3, 6)},
                constants={"s": uniform(3), "b": uniform(3), "m": uniform(3), "v": np.ones(3, np.float32)}, expected=[uniform(0, 3, 6)])
    yield empty("resized", helper.make_node("Resize", ["x", "", "s"], ["y"], mode="nearest"),
                {"x": uniform(0, 2, 4, 4)}, constants={"s": np.array([1, 1, 2, 2], np.float32)}, expected=[uniform(0, 2, 8, 8)])
    yield empty("positions_of_none", node("NonZero", "x"), {"x": x}, expected=[np.zeros((2, 0), np.int64)])
    yield empty("scatter_of_nothing", node("ScatterND", "t i u"), {"i": np.zeros((0, 1), np.int64), "u": uniform(0, 3)},
                constants={"t": uniform(4, 3)})
    start = uniform(3)
    yield empty("looped_over", running_sum(["s0", "xs"], ["last", "all"], [3]), {"s0": start, "xs": uniform(0, 3)}, ("last", "all"),
                expected=[start, uniform(0, 3)])
    lstm = helper.make_node("LSTM", ["x", "w", "r"], ["y", "h"], hidden_size=2)
    yield empty("layer_of_no_steps", lstm, {"x": uniform(0, 2, 3)}, ("y", "h"), constants={"w": uniform(1, 8, 3), "r": uniform(1, 8, 2)},
                expected=[uniform(0, 1, 2, 2), np.zeros((1, 2, 2), np.float32)])
    yield empty("layer_of_no_sequences", lstm, {"x": uniform(3, 0, 3)}, ("y", "h"), constants={"w": uniform(1, 8, 3), "r": uniform(1, 8, 2)},
                expected=[uniform(3, 1, 0, 2), uniform(1, 0, 2)])
    attention = [node("Transpose", "k", "kt", perm=[0, 1, 3, 2]), node("MatMul", "q kt", "s"), node("Softmax", "s", "p", axis=-1), node("MatMul", "p v")]
    q, k, v = uniform(1, 2, 3, 4), uniform(1, 2, 0, 4), uniform(1, 2, 0, 4)
    yield empty("attention_to_nothing", attention, {"q": q, "k": k, "v": v}, expected=[np.zeros((1, 2, 3, 4), np.float32)])
    cached = [node("Concat", "pk nk", "k", axis=2), node("Concat", "pv nv", "v", axis=2)] + attention
    fresh = {"q": uniform(1, 2, 1, 4), "pk": k, "nk": uniform(1, 2, 1, 4), "pv": v, "nv": uniform(1, 2, 1, 4)}
    yield empty("attention_of_an_empty_cache", cached, fresh, ("y", "k", "v"), expected=[fresh["nv"], fresh["nk"], fresh["nv"]])


# --- integers of a run that shapes depend on: --bound

def bounded(name, nodes, inputs, outputs=("y",), bound=("k=6",), **rest):
    return Case(f"bounded_{name}", nodes, inputs, list(outputs), rest.pop("opset", 18), flags=tuple(f"--bound={b}" for b in bound), **rest)


def numbers(*values):
    return np.array(values, np.int64)


def bounded_cases():
    x, one = uniform(6, 3), np.array(1)
    # k is computed: the sum of two inputs.
    made = [node("Add", "i j", "k")]
    two = {"i": numbers(1), "j": numbers(1)}
    yield bounded("slice_end", made + [node("Slice", "x z k z", "s"), node("Exp", "s")], {"x": x, **two}, constants={"z": numbers(0)})
    yield bounded("slice_start", made + [node("Slice", "x k e z", "s"), node("Exp", "s")], {"x": x, **two},
                  constants={"z": numbers(0), "e": numbers(9)})
    yield bounded("slice_beyond_the_end", made + [node("Slice", "x z k z", "s"), node("Exp", "s")], {"x": x, "i": numbers(4), "j": numbers(4)},
                  constants={"z": numbers(0)}, bound=("k=9",))
    yield bounded("slice_of_nothing", made + [node("Slice", "x z k z", "s"), node("Exp", "s")], {"x": x, "i": numbers(2), "j": numbers(-2)},
                  constants={"z": numbers(0)})
    yield bounded("slice_by_an_input", [node("Slice", "x z k z", "s"), node("Exp", "s")], {"x": x, "k": numbers(4)}, constants={"z": numbers(0)})
    narrow = [node("Cast", "k", "n", to=TensorProto.INT32), node("Slice", "x z n z", "s"), node("Neg", "s")]
    yield bounded("slice_by_int32", [node("Add", "i j", "k"), node("Slice", "x z k z", "s"), node("Neg", "s")],
                  {"x": x, "i": np.array([1], np.int32), "j": np.array([2], np.int32)}, constants={"z": np.array([0], np.int32)})
    yield bounded("slice_by_a_cast", made + narrow, {"x": x, **two}, constants={"z": np.array([0], np.int32)})
    yield bounded("slice_and_its_length", made + [node("Slice", "x z k z", "s"), node("Shape", "s", "n"), node("Neg", "s")], {"x": x, **two},
                  ("y", "n"), constants={"z": numbers(0)})
    yield bounded("expand", made + [node("Concat", "k t", "to", axis=0), node("Expand", "x to", "e"), node("Sub", "e x")],
                  {"x": uniform(1, 3), **two}, constants={"t": numbers(3)})
    yield bounded("expand_to_both", [node("Add", "i j", "k"), node("Expand", "x k", "e"), node("Neg", "e")],
                  {"x": uniform(1, 1), "i": numbers(1, 2), "j": numbers(1, 2)})
    yield bounded("reshape", [node("Add", "i j", "k"), node("Reshape", "x k", "r"), node("ReduceSum", "r a")],
                  {"x": x, "i": numbers(1, 2), "j": numbers(1, 7)}, constants={"a": numbers(1)}, bound=("k=18",))
    yield bounded("tile", [node("Add", "i j", "k"), node("Tile", "x k")], {"x": x, "i": numbers(1, 0), "j": numbers(1, 3)})
    yield bounded("range", [node("ReduceMax", "i", "k", keepdims=0), node("Range", "z k o", "r"), node("Mul", "r r")], {"i": numbers(3, 5, 1)},
                  constants={"z": np.array(0), "o": one})
    yield bounded("range_between", [node("ReduceMax", "i", "k", keepdims=0), node("ReduceMin", "i", "l", keepdims=0), node("Range", "l k o", "r"),
                                    node("Mul", "r r")], {"i": numbers(3, 5, 1)}, constants={"o": one}, bound=("k=6", "l=6"))
    yield bounded("top_of_each_row", made + [node("TopK", "x k", "y n", axis=0)], {"x": x, **two}, ("y", "n"))
    yield bounded("fill", made + [node("ConstantOfShape", "k", "c"), node("Cos", "c")], two)
    yield bounded("pad", [node("Add", "i j", "k"), node("Pad", "x k")], {"x": x, "i": numbers(1, 0, 0, 2), "j": numbers(1, 1, 0, 0)})
    yield bounded("with_its_contents", made + [node("Slice", "x z k z", "s"), node("Cast", "k", "f", to=FLOAT), node("Mul", "s f")], {"x": x, **two},
                  constants={"z": numbers(0)})
    yield bounded("sum_with_an_open_length", made + [node("Slice", "x z k z", "s"), node("Add", "s b")], {"x": x, **two, "b": uniform(2, 3)},
                  constants={"z": numbers(0)}, shapes={"b": ["m", 3]})
    inner = helper.make_graph([helper.make_node("Slice", ["x", "z", "k", "z"], ["t0"]), helper.make_node("Neg", ["t0"], ["t"])], "then", [],
                              [value("t", ["n", 3])])
    other = helper.make_graph([helper.make_node("Identity", ["x"], ["e"])], "else", [], [value("e", [6, 3])])
    choice = helper.make_node("If", ["c"], ["r"], then_branch=inner, else_branch=other)
    for c in (True, False):
        yield bounded(f"slice_in_a_branch_{c}", made + [choice, node("Exp", "r")], {"x": x, **two, "c": np.array(c)}, constants={"z": numbers(0)})
    step = helper.make_graph(
        [helper.make_node("Add", ["it", "one"], ["k0"]), helper.make_node("Unsqueeze", ["k0", "z"], ["k"]),
         helper.make_node("Slice", ["x", "z", "k", "z"], ["s"]), helper.make_node("ReduceSum", ["s", "z"], ["row"], keepdims=0),
         helper.make_node("Identity", ["go"], ["goes"])],
        "body", [value("it", [], TensorProto.INT64), value("go", [], TensorProto.BOOL)], [value("goes", [], TensorProto.BOOL), value("row", [3])])
    yield bounded("slice_in_a_loop", [helper.make_node("Loop", ["n", ""], ["rows"], body=step), node("Neg", "rows")], {"x": x},
                  constants={"z": numbers(0), "n": np.array(5), "one": one}, expected=[-np.cumsum(x, 0)[:5]])
    yield Case("unbounded_slice", made + [node("Slice", "x z k z")], {"x": x, **two}, ["y"], 18, constants={"z": numbers(0)}, refused="--bound k=N")


def cases():
    yield from scan_cases()
    yield from bounded_cases()
    yield from empty_cases()
    yield from training_norms()
