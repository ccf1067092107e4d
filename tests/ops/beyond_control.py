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


def cases():
    yield from scan_cases()
    yield from training_norms()
