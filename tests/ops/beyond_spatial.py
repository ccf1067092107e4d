# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators on images, boxes and signals beyond ONNX's node tests: see beyond.py."""
import itertools

import numpy as np
from onnx import helper

from beyond import Case

RANDOM = np.random.default_rng(7)


def uniform(*shape, low=-1.0, high=1.0, dtype=np.float32):
    return RANDOM.uniform(low, high, shape).astype(dtype)


# --- GridSample

SPACES = {1: ((2, 3, 7), (2, 5)), 2: ((2, 3, 4, 5), (2, 3, 7)), 3: ((1, 2, 3, 2, 4), (1, 2, 3, 3))}


def grid_sample(name, x, grid, opset=20, **rest):
    attributes = {k: rest.pop(k) for k in ("mode", "padding_mode", "align_corners") if k in rest}
    node = helper.make_node("GridSample", ["x", "grid"], ["y"], **attributes)
    return Case(f"grid_sample_{name}", node, {"x": x, "grid": grid}, ["y"], opset, **rest)


def grid_samples():
    modes, paddings = ("nearest", "linear", "cubic"), ("zeros", "border", "reflection")
    for axes, mode, padding, align in itertools.product(SPACES, modes, paddings, (0, 1)):
        x, out = SPACES[axes]
        grid = uniform(*out, axes, low=-3, high=3)
        yield grid_sample(f"{axes}d_{mode}_{padding}_{align}", uniform(*x), grid, mode=mode, padding_mode=padding,
                          align_corners=align)
    grid = uniform(1, 4, 4, 2, low=-1.2, high=1.2)
    for dtype in (np.float16, np.float64):
        tolerance = "1e-2 1e-2" if dtype is np.float16 else "1e-4 1e-5"
        yield grid_sample(f"of_{dtype.__name__}", uniform(1, 2, 5, 3, dtype=dtype), grid.astype(dtype), tolerance=tolerance)
    yield grid_sample("by_doubles", uniform(1, 2, 5, 3), grid.astype(np.float64))
    x = RANDOM.integers(-9, 9, (1, 2, 5, 3)).astype(np.int32)
    yield grid_sample("of_integers", x, grid, mode="nearest")
    yield grid_sample("of_integers_between", x, np.array([[[[0, 0], [-0.5, 0.3]]]], np.float32),
                      expected=[((lambda y: np.trunc(y).astype(np.int32))(sampled_linear(x, [[0, 0], [-0.5, 0.3]])))])
    yield grid_sample("of_bools", x > 0, grid, mode="nearest", opset=16)
    x = uniform(1, 2, 5, 3)
    positions = grid.clip(-1, 1).reshape(-1, 2)
    yield grid_sample("bilinear", x, positions.reshape(1, 1, -1, 2), mode="bilinear", opset=16, expected=[
        sampled_linear(x, positions).astype(np.float32)])
    yield grid_sample("one_element", uniform(1, 1, 1, 1), grid, padding_mode="border", align_corners=1)
    yield grid_sample("no_positions", uniform(1, 2, 3, 3), np.zeros((1, 0, 4, 2), np.float32),
                      expected=[np.zeros((1, 2, 0, 4), np.float32)])
    x, inf = uniform(1, 1, 3, 3), np.inf
    wild = np.array([inf, -inf, np.nan, 1e30, -1e30, 3e9, 0.1, np.nan], np.float32).reshape(1, 1, 4, 2)
    last = 0.85 * x[0, 0, 0, 1] + 0.15 * x[0, 0, 0, 2]
    border = np.array([x[0, 0, 0, 2], x[0, 0, 2, 0], x[0, 0, 2, 0], last]).reshape(1, 1, 1, 4)
    yield grid_sample("wild_zeros", x, wild, expected=[np.zeros((1, 1, 1, 4), np.float32)])
    yield grid_sample("wild_border", x, wild, padding_mode="border", expected=[border])
    yield grid_sample("wild_reflection", x, np.full((1, 1, 1, 2), inf, np.float32), padding_mode="reflection",
                      expected=[x[:, :, :1, :1]])
    yield grid_sample("dynamic", uniform(2, 3, 4, 5), uniform(2, 3, 7, 2, low=-1.5, high=1.5),
                      shapes={"x": ["n", 3, "h", 5], "grid": ["n", "oh", 7, 2]},
                      flags=("--dim=n=1..4", "--dim=h=2..8", "--dim=oh=1..9"))
    conv = helper.make_node("Conv", ["x", "w"], ["c"], pads=[1, 1, 1, 1])
    sample = helper.make_node("GridSample", ["c", "grid"], ["s"], mode="linear")
    relu = helper.make_node("Relu", ["s"], ["r"])
    again = helper.make_node("Conv", ["r", "v"], ["y"])
    yield Case("grid_sample_between_convolutions", [conv, sample, relu, again],
               {"x": uniform(1, 3, 9, 8), "grid": uniform(1, 5, 6, 2, low=-1.2, high=1.2)}, ["y"], 20,
               constants={"w": uniform(19, 3, 3, 3), "v": uniform(4, 19, 3, 3)})
    yield grid_sample("wrong_mode", uniform(1, 1, 2, 2), grid, mode="lanczos", refused="mode 'lanczos' is not one of")
    yield grid_sample("wrong_axes", uniform(1, 1, 2, 2), uniform(1, 2, 2, 3), refused="the grid is")


def sampled_linear(x, positions):
    """Means of the four neighbours at positions inside, align_corners 0; float64."""
    h, w = x.shape[2:]
    out = []
    for gx, gy in np.asarray(positions, np.float64):
        px, py = ((gx + 1) * w - 1) / 2, ((gy + 1) * h - 1) / 2
        ix, iy = int(np.floor(px)), int(np.floor(py))
        total = np.zeros(x.shape[:2])
        for dy, dx in itertools.product((0, 1), (0, 1)):
            weight = (1 - abs(py - iy - dy)) * (1 - abs(px - ix - dx))
            if 0 <= iy + dy < h and 0 <= ix + dx < w:
                total += weight * x[:, :, iy + dy, ix + dx]
        out.append(total)
    return np.stack(out, axis=-1)[:, :, None, :]


# --- AffineGrid

def affine_grid(name, theta, size, aligned=0, **rest):
    node = helper.make_node("AffineGrid", ["theta", "size"], ["y"], align_corners=aligned)
    return Case(f"affine_grid_{name}", node, {"theta": theta}, ["y"], constants={"size": np.array(size, np.int64)}, **rest)


def affine_grids():
    for aligned in (0, 1):
        yield affine_grid(f"2d_{aligned}", uniform(2, 2, 3), (2, 5, 3, 7), aligned)
        yield affine_grid(f"3d_{aligned}", uniform(1, 3, 4), (1, 5, 2, 3, 4), aligned)
    eye = np.array([[[1, 0, 0], [0, 1, 0]]], np.float32)
    y = np.stack([np.linspace(-1, 1, 3), -np.ones(3)], axis=-1).reshape(1, 1, 3, 2).astype(np.float32)
    yield affine_grid("one_row", eye, (1, 1, 1, 3), 1, expected=[y])
    double = uniform(1, 2, 3, dtype=np.float64)
    yield affine_grid("of_doubles", double, (1, 1, 4, 5), expected=[affine(double, 4, 5)], tolerance="1e-9 1e-9")
    half = uniform(1, 2, 3, dtype=np.float16)
    yield affine_grid("of_halves", half, (1, 1, 2, 2), expected=[affine(half, 2, 2).astype(np.float16)], tolerance="1e-2 1e-3")
    shape = helper.make_node("Shape", ["x"], ["size"])
    grid = helper.make_node("AffineGrid", ["theta", "size"], ["y"])
    yield Case("affine_grid_dynamic", [shape, grid], {"theta": uniform(2, 2, 3), "x": uniform(2, 1, 3, 5)}, ["y"],
               shapes={"theta": ["n", 2, 3], "x": ["n", 1, "h", "w"]},
               flags=("--dim=n=1..3", "--dim=h=1..6", "--dim=w=1..7"))
    yield affine_grid("wrong_size", eye, (1, 1, 3), refused="the size has 3 elements")


def affine(theta, h, w):
    """align_corners 0, in double."""
    y, x = np.meshgrid((np.arange(h) * 2 + 1) / h - 1, (np.arange(w) * 2 + 1) / w - 1, indexing="ij")
    return np.einsum("hwk,nck->nhwc", np.stack([x, y, np.ones_like(x)], axis=-1), theta.astype(np.float64))


# --- windows

def window(op, name, size, **attributes):
    node = helper.make_node(op, ["size"], ["y"], **attributes)
    return Case(f"{op}_{name}", node, {}, ["y"], constants={"size": np.array(size)})


def windows():
    for op in ("HannWindow", "HammingWindow", "BlackmanWindow"):
        yield window(op, "of_400", 400)
        yield window(op, "symmetric_of_15", np.int32(15), periodic=0)
        yield window(op, "of_one", 1)
        yield window(op, "of_doubles", 9, output_datatype=11)
    yield window("HannWindow", "of_integers", 8, output_datatype=6)
    yield window("HannWindow", "of_none", 0)
    shape = helper.make_node("Size", ["x"], ["n"])
    hann = helper.make_node("HannWindow", ["n"], ["w"])
    scaled = helper.make_node("Mul", ["x", "w"], ["y"])
    yield Case("HannWindow_dynamic", [shape, hann, scaled], {"x": uniform(12)}, ["y"], shapes={"x": ["n"]},
               flags=("--dim=n=1..20",))


# --- losses

def loss(name, x, target, weight=None, op="NegativeLogLikelihoodLoss", outputs=1, **rest):
    attributes = {k: rest.pop(k) for k in ("reduction", "ignore_index") if k in rest}
    inputs = {"x": x, "target": target}
    if weight is not None:
        inputs["weight"] = weight
    names = ["y", "log_p"][:outputs]
    node = helper.make_node(op, list(inputs), names, **attributes)
    return Case(f"{op}_{name}", node, inputs, names, **rest)


def losses():
    x, target, weight = uniform(4, 5), np.array([4, 0, 2, 2], np.int32), uniform(5, low=0.1)
    deep, deep_target = uniform(2, 3, 2, 3), RANDOM.integers(0, 3, (2, 2, 3))
    both = "NegativeLogLikelihoodLoss", "SoftmaxCrossEntropyLoss"
    for op, reduction in itertools.product(both, ("none", "sum", "mean")):
        yield loss(f"{reduction}", x, target, op=op, reduction=reduction)
        yield loss(f"{reduction}_weighted", x, target, weight, op=op, reduction=reduction)
        yield loss(f"{reduction}_deep_ignoring", deep, deep_target, op=op, reduction=reduction, ignore_index=1)
        yield loss(f"{reduction}_weighted_ignoring", x, target, weight, op=op, reduction=reduction, ignore_index=2)
    for dtype in (np.float16, np.float64):
        yield loss(f"of_{dtype.__name__}", deep.astype(dtype), deep_target, op=both[1], outputs=2, tolerance="1e-2 1e-2")
    far = np.array([1, -100, 2], np.int64)
    wild = np.array([[1, 2, 3], [np.inf, np.nan, -np.inf], [4, 5, 6]], np.float32)
    for reduction, y in (("mean", -4.0), ("sum", -8.0)):
        yield loss(f"{reduction}_ignores_infinity", wild, far, reduction=reduction, ignore_index=-100,
                   expected=[np.float32(y)])
    yield loss("ignores_all", x, np.full(4, 9), reduction="mean", ignore_index=9, expected=[np.float32(np.nan)])
    yield loss("dynamic", deep, deep_target, op=both[1], outputs=2, reduction="mean",
               shapes={"x": ["n", 3, "h", 3], "target": ["n", "h", 3]}, flags=("--dim=n=1..3", "--dim=h=1..4"))
    yield loss("wrong_reduction", x, target, reduction="max", refused="reduction 'max' is not one of")
    yield loss("wrong_targets", x, deep_target, refused="do not fit")
    yield loss("wrong_weights", x, target, uniform(4), refused="the number of weights")


# --- CenterCropPad

def center(name, x, shape, axes=None, **rest):
    attributes = {} if axes is None else {"axes": axes}
    node = helper.make_node("CenterCropPad", ["x", "shape"], ["y"], **attributes)
    return Case(f"CenterCropPad_{name}", node, {"x": x}, ["y"], constants={"shape": np.array(shape)}, **rest)


def centers():
    x = uniform(5, 4, 7)
    yield center("crops_and_pads", x, (2, 9, 7))
    yield center("odd_rests", x, (8, 1, 12))
    yield center("to_nothing", x, (0, 4, 7))
    yield center("from_nothing", uniform(0, 2), (3, 2), expected=[np.zeros((3, 2), np.float32)])
    yield center("some_axes", x, (9, 3), axes=[-1, 0])
    yield center("of_bools", x > 0, (7, 7, 7))
    yield center("of_int64", RANDOM.integers(0, 9, (3, 3)), (4, 1))
    of = helper.make_node("Shape", ["r"], ["shape"], start=2)
    node = helper.make_node("CenterCropPad", ["x", "shape"], ["y"], axes=[2, 3])
    yield Case("CenterCropPad_dynamic", [of, node], {"x": uniform(1, 2, 5, 3), "r": uniform(1, 1, 3, 6)}, ["y"],
               shapes={"x": [1, 2, "h", 3], "r": [1, 1, "g", "w"]},
               flags=("--dim=h=1..8", "--dim=g=1..8", "--dim=w=1..8"))
    yield center("wrong_count", x, (2, 9), refused="2 extents for 3 axes")


def cases():
    yield from grid_samples()
    yield from affine_grids()
    yield from windows()
    yield from losses()
    yield from centers()
