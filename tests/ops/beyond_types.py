# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Element types that few node tests have: packed integers that are moved, double in normalisations, halves from double."""
import ml_dtypes
import numpy as np
from onnx import helper

from beyond import Case

PACKED = {"int4": (ml_dtypes.int4, 21), "uint4": (ml_dtypes.uint4, 21), "uint2": (ml_dtypes.uint2, 25)}


def packed():
    rng = np.random.default_rng(1)
    for name, (dtype, opset) in PACKED.items():
        x = rng.integers(0, 3, (3, 5)).astype(np.int8).astype(dtype)
        yield Case(f"packed_identity_{name}", helper.make_node("Identity", ["x"], ["y"]), {"x": x}, ["y"], opset,
                   expected=[x])
        yield Case(f"packed_transpose_{name}", helper.make_node("Transpose", ["x"], ["y"]), {"x": x}, ["y"], opset,
                   expected=[x.T])
        yield Case(f"packed_constant_{name}", helper.make_node("Transpose", ["x"], ["y"]), {}, ["y"], opset,
                   constants={"x": x}, expected=[x.T])
        yield Case(f"packed_slice_{name}", helper.make_node("Slice", ["x", "a", "b", "c"], ["y"]), {"x": x}, ["y"], opset,
                   constants={"a": np.array([1]), "b": np.array([4]), "c": np.array([1])}, expected=[x[:, 1:4]])
        y = np.concatenate([x[:2], x[:2]])
        yield Case(f"packed_concat_{name}", helper.make_node("Concat", ["x", "x"], ["y"], axis=0), {"x": x[:2, :4].copy()},
                   ["y"], opset, expected=[y[:, :4]])
    x = rng.standard_normal((3, 5)).astype(np.float32) * 5
    scale = np.array([0.5, 1, 2, 0.7, 1.5], np.float32)
    for name in ("int4", "uint4"):
        zero = np.arange(5).astype(np.int8).astype(PACKED[name][0])
        yield Case(f"packed_quantize_axis_{name}", helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], axis=1),
                   {"x": x}, ["y"], 21, constants={"s": scale, "z": zero})
        yield Case(f"packed_quantize_blocked_{name}",
                   helper.make_node("QuantizeLinear", ["x", "s", "z"], ["y"], axis=0, block_size=2), {"x": x}, ["y"], 21,
                   constants={"s": np.stack([scale, scale[::-1]]), "z": np.stack([zero, zero])})


def normalisations():
    rng = np.random.default_rng(2)

    def values(*dims, dtype=np.float64):
        return rng.standard_normal(dims).astype(dtype)

    x, scale, bias = values(2, 6, 4, 3), values(6), values(6)
    operands = {"s": scale, "b": bias}
    for name, node, opset, constants in (
            ("instance", helper.make_node("InstanceNormalization", ["x", "s", "b"], ["y"]), 22, operands),
            ("group", helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=3), 21, operands),
            ("by_group", helper.make_node("GroupNormalization", ["x", "s", "b"], ["y"], num_groups=3), 18,
             {"s": values(3), "b": values(3)}),
            ("rms", helper.make_node("RMSNormalization", ["x", "s"], ["y"], axis=2), 23, {"s": values(4, 3)}),
            ("layer", helper.make_node("LayerNormalization", ["x", "s", "b"], ["y"], axis=2), 17,
             {"s": values(3), "b": values(4, 1)})):
        yield Case(f"double_norm_{name}", node, {"x": x}, ["y"], opset, constants=constants)
        floats = {k: v.astype(np.float32) for k, v in {"x": x, **constants}.items()}
        yield Case(f"computed_norm_{name}", node, floats, ["y"], opset)
    flat = values(3, 6, dtype=np.float32)
    yield Case("instance_norm_rank_2", helper.make_node("InstanceNormalization", ["x", "s", "b"], ["y"]), {"x": flat}, ["y"],
               constants={k: v.astype(np.float32) for k, v in operands.items()}, expected=[flat * 0 + operands["b"].astype(np.float32)])


def others():
    # 65519.999999 is below the middle between the largest half and the next number; as a float it is that middle.
    x = np.array([65519.999999, 1.0004882812500001, 1.00048828125])
    for name, dtype in (("float16", np.float16), ("bfloat16", ml_dtypes.bfloat16)):
        to = helper.np_dtype_to_tensor_dtype(np.dtype(dtype))
        for how in ("inputs", "constants"):
            data = {"inputs": {"x": x}} if how == "inputs" else {"inputs": {}, "constants": {"x": x}}
            yield Case(f"double_to_{name}_{how}", helper.make_node("Cast", ["x"], ["y"], to=to), outputs=["y"],
                       expected=[x.astype(dtype)], tolerance="0 0", **data)
    x = np.arange(14, dtype=np.float32).reshape(2, 7)
    for names in (["", "b", ""], ["", "", "c"], ["a", "", ""]):
        kept = [i for i, name in enumerate(names) if name]
        yield Case(f"split_unnamed_{kept[0]}", helper.make_node("Split", ["x", "s"], names, axis=1), {"x": x},
                   [name for name in names if name], constants={"s": np.array([2, 4, 1])},
                   expected=[np.split(x, [2, 6], 1)[i] for i in kept])
    yield Case("dropout_mask_of_numbers", helper.make_node("Dropout", ["x"], ["y", "m"]), {"x": x}, ["y", "m"], 7,
               expected=[x, np.ones_like(x)])
    x = x.reshape(1, 2, 7) - 5
    yield Case("global_lp_pool_3", helper.make_node("GlobalLpPool", ["x"], ["y"], p=3), {"x": x}, ["y"], 18,
               expected=[(np.abs(x) ** 3).sum(2, keepdims=True) ** np.float32(1 / 3)])


def resize_10():
    """Resize of opset 10 names no rounding: the element before where an axis grows, the one behind where it shrinks."""
    x = np.arange(8, dtype=np.float32).reshape(1, 1, 2, 4)
    node = helper.make_node("Resize", ["x", "s"], ["y"], mode="nearest")
    yield Case("resize_10_shrinks", node, {"x": x}, ["y"], 10, constants={"s": np.array([1, 1, 0.6, 0.6], np.float32)},
               expected=[x[:, :, :1, ::2]])
    yield Case("resize_10_grows", node, {"x": x}, ["y"], 10, constants={"s": np.array([1, 1, 1.5, 1.5], np.float32)},
               expected=[x[:, :, [0, 0, 1]][:, :, :, [0, 0, 1, 2, 2, 3]]])
    yield Case("resize_10_both", node, {"x": x}, ["y"], 10, constants={"s": np.array([1, 1, 1.5, 0.6], np.float32)},
               refused="axes that grow and axes that shrink")


def empty():
    x = np.zeros((2, 0, 3), np.float32)
    for op in ("Softmax", "LogSoftmax"):
        yield Case(f"empty_{op}", helper.make_node(op, ["x"], ["y"], axis=1), {"x": x}, ["y"], expected=[x])


def pool_of_nan():
    """A NaN wins, the first one of a window; the same at compile time and when the model runs."""
    x = np.array([[1, np.nan, 3, 4], [5, np.nan, np.nan, 2]], np.float32).reshape(1, 1, 2, 4)
    best, at = np.array([[[[np.nan, np.nan, np.nan]]]], np.float32), np.array([[[[1, 1, 6]]]])
    node = helper.make_node("MaxPool", ["x"], ["y", "i"], kernel_shape=[2, 2])
    for how in ("inputs", "constants"):
        data = {"inputs": {"x": x}} if how == "inputs" else {"inputs": {}, "constants": {"x": x}}
        yield Case(f"pool_of_nan_{how}", node, outputs=["y", "i"], opset=12, expected=[best, at], **data)


def cases():
    yield from packed()
    yield from normalisations()
    yield from others()
    yield from resize_10()
    yield from empty()
    yield from pool_of_nan()
