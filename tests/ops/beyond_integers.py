# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Products of 8-bit integers with constant weights: types, zero points, depths around every step, groups, padding. Exact."""
import numpy as np
from onnx import helper

from beyond import Case

EXACT = "0 0"


def draw(rng, dtype, shape):
    info = np.iinfo(dtype)
    values = rng.integers(info.min, info.max + 1, shape)
    ends = rng.random(shape) < 0.2
    return np.where(ends, rng.choice([info.min, info.max], shape), values).astype(dtype)


def product(a, b, a_zero=0, b_zero=0):
    return (a.astype(np.int64) - a_zero) @ (b.astype(np.int64) - b_zero)


def convolution(x, w, x_zero, w_zero, group, stride, pad, dilation):
    x = np.pad(x.astype(np.int64) - x_zero, ((0, 0), (0, 0), (pad, pad), (pad, pad)))
    w = w.astype(np.int64) - w_zero
    spans = [(k - 1) * dilation + 1 for k in w.shape[2:]]
    out = [(x.shape[2 + i] - spans[i]) // stride + 1 for i in range(2)]
    y = np.zeros((x.shape[0], w.shape[0], *out), np.int64)
    channels, per_group = w.shape[1], w.shape[0] // group
    for m in range(w.shape[0]):
        first = m // per_group * channels
        for i in range(out[0]):
            for j in range(out[1]):
                part = x[:, first:first + channels, i * stride:i * stride + spans[0]:dilation, j * stride:j * stride + spans[1]:dilation]
                y[:, m, i, j] = (part * w[m]).sum(axis=(1, 2, 3))
    return y


def matmul_cases(rng):
    for number, (a, b, m, k, n, zeros) in enumerate([
        (np.uint8, np.int8, 5, 1, 3, ""), (np.uint8, np.int8, 1, 300, 17, "a"), (np.int8, np.int8, 13, 31, 40, "a"),
        (np.uint8, np.uint8, 7, 258, 9, "ab"), (np.int8, np.uint8, 49, 2, 16, "b"), (np.uint8, np.int8, 6, 33, 5, "rows columns"),
    ]):
        x, w = draw(rng, a, (2, m, k)), draw(rng, b, (k, n))
        names, constants, a_zero, b_zero = ["x", "w"], {"w": w}, 0, 0
        if "a" in zeros or "rows" in zeros:
            constants["az"] = draw(rng, a, (m,) if "rows" in zeros else ())
            a_zero = constants["az"].astype(np.int64).reshape((-1, 1) if "rows" in zeros else ())
        if zeros in ("ab", "b") or "columns" in zeros:
            constants["bz"] = draw(rng, b, (n,) if "columns" in zeros else ())
            b_zero = constants["bz"].astype(np.int64)
        if len(constants) > 1:
            names += ["az" if "az" in constants else "", "bz" if "bz" in constants else ""]
        yield Case(f"matmul_integer_{number}", helper.make_node("MatMulInteger", names, ["y"]), {"x": x}, ["y"], constants=constants,
                   expected=[product(x, w, a_zero, b_zero).astype(np.int32)], tolerance=EXACT)


def conv_cases(rng):
    for number, (a, b, channels, m, group, kernel, stride, pad, dilation, per_channel) in enumerate([
        (np.uint8, np.int8, 3, 16, 1, 3, 2, 1, 1, False), (np.uint8, np.uint8, 8, 5, 1, 5, 1, 2, 1, False), (np.int8, np.int8, 12, 18, 3, 3, 1, 2, 2, True),
        (np.uint8, np.int8, 32, 24, 1, 1, 1, 0, 1, False), (np.uint8, np.int8, 10, 10, 10, 3, 1, 1, 1, False), (np.uint8, np.int8, 4, 8, 4, 3, 1, 1, 1, True),
    ]):
        x, w = draw(rng, a, (2, channels, 9, 7)), draw(rng, b, (m, channels // group, kernel, kernel))
        xz, wz = draw(rng, a, ()), draw(rng, b, (m,) if per_channel else ())
        attributes = {"group": group, "strides": [stride] * 2, "pads": [pad] * 4, "dilations": [dilation] * 2}
        sums = convolution(x, w, int(xz), wz.astype(np.int64).reshape(-1, 1, 1, 1), group, stride, pad, dilation)
        yield Case(f"qlinear_conv_{number}",
                   helper.make_node("QLinearConv", ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz", "b"], ["y"], **attributes), {"x": x}, ["y"],
                   constants={"xs": np.float32(0.25), "xz": xz, "w": w, "ws": np.float32(0.5), "wz": wz, "ys": np.float32(64), "yz": np.uint8(100),
                              "b": np.arange(m, dtype=np.int32) * 100},
                   expected=[np.clip(np.rint((sums + np.arange(m).reshape(1, -1, 1, 1) * 100) / 512) + 100, 0, 255).astype(np.uint8)],
                   tolerance=EXACT)
        if per_channel:
            continue
        yield Case(f"conv_integer_{number}", helper.make_node("ConvInteger", ["x", "w", "xz", "wz"], ["y"], **attributes), {"x": x}, ["y"],
                   constants={"w": w, "xz": xz, "wz": wz}, expected=[sums.astype(np.int32)], tolerance=EXACT)


def cases():
    rng = np.random.default_rng(5)
    yield from matmul_cases(rng)
    yield from conv_cases(rng)
