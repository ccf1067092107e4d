# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What random graphs (../random) found."""
import numpy as np
from onnx import helper

from beyond import Case


def cases():
    random = np.random.RandomState(7)

    def draw(*dims):
        return random.uniform(-1, 1, dims).astype(np.float32)

    yield Case("matmul_of_a_batch_of_constants", helper.make_node("MatMul", ["x", "w"], ["y"]), {"x": draw(1, 7, 16, 8)}, ["y"],
               constants={"w": draw(7, 8, 16)})
    x, scale, bias = draw(2, 6, 3, 5), draw(3), draw(3)
    rows = x.reshape(2, 3, -1)
    normal = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-5)
    yield Case("group_norm_with_one_scale_a_group", helper.make_node("GroupNormalization", ["x", "scale", "bias"], ["y"], num_groups=3),
               {"x": x}, ["y"], opset=18, constants={"scale": scale, "bias": bias},
               expected=[(normal * scale[:, None] + bias[:, None]).reshape(x.shape).astype(np.float32)])
    odd = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5, -1.5, 0.25, 1.0], np.float32)
    for op in ("Shrink", "ThresholdedRelu"):
        yield Case(f"{op}_of_nan_is_zero", helper.make_node(op, ["x"], ["y"]), {"x": odd}, ["y"])
    sign = [helper.make_node("Shape", ["x"], ["shape"]), helper.make_node("Sub", ["shape", "five"], ["less"]),
            helper.make_node("Sign", ["less"], ["y"])]
    yield Case("sign_of_a_size", sign, {"x": draw(3, 5, 7)}, ["y"], constants={"five": np.array([5], np.int64)}, shapes={"x": ["n", 5, 7]},
               flags=("--dim=n=1..4",))
    yield Case("dynamic_quantization_of_zeros", helper.make_node("DynamicQuantizeLinear", ["x"], ["y", "scale", "zero"]),
               {"x": np.zeros([2, 3], np.float32)}, ["y", "scale", "zero"],
               expected=[np.zeros([2, 3], np.uint8), np.float32(1), np.uint8(0)])
