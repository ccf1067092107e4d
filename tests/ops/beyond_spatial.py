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


def cases():
    yield from grid_samples()
