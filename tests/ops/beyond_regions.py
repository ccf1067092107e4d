# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Boxes, regions and windows beyond ONNX's node tests: see beyond.py."""
import itertools

import numpy as np
from onnx import helper
from onnx.reference import ReferenceEvaluator

from beyond import Case, model_of
from beyond_spatial import RANDOM, uniform


def reference(case):
    return ReferenceEvaluator(model_of(case)).run(None, case.inputs)


# --- NonMaxSuppression

def nms(name, boxes, scores, limits, center=0, **rest):
    """limits: most, overlap, least; None: not given."""
    inputs, names = {"boxes": boxes, "scores": scores}, ["boxes", "scores"]
    for key, value, dtype in zip(("most", "overlap", "least"), limits, (np.int64, np.float32, np.float32)):
        names.append("" if value is None else key)
        if value is not None:
            inputs[key] = np.array([value], dtype)
    node = helper.make_node("NonMaxSuppression", names, ["y"], center_point_box=center)
    return Case(f"nms_{name}", node, inputs, ["y"], 11, **rest)


def suppressions():
    corners = uniform(2, 41, 4, low=0, high=1)
    centers = np.concatenate([uniform(2, 41, 2, low=0, high=1), uniform(2, 41, 2, low=0, high=0.5)], axis=-1)
    scores = RANDOM.integers(0, 20, (2, 3, 41)).astype(np.float32) / 20
    for center, boxes in enumerate((corners, centers)):
        for limits in ((7, 0.3, 0.25), (100, 0.5, None), (3, 0.0, 0.9), (41, 1.0, 0.0)):
            yield nms("_".join(map(str, (center, *limits))), boxes, scores, limits, center)
    none = [np.zeros((0, 3), np.int64)]
    yield nms("without_limits", corners, scores, (None, None, None), expected=none)
    yield nms("most_0", corners, scores, (0, 0.5, 0.1), expected=none)
    yield nms("most_below_0", corners, scores, (-3, 0.5, 0.1), expected=none)
    yield nms("no_boxes", np.zeros((1, 0, 4), np.float32), np.zeros((1, 2, 0), np.float32), (5, 0.5, 0.1), expected=none)
    line = np.array([[[0, 0, 1, 1], [0, 0, 1, 1], [0, 5, 1, 6], [0, 7, 0, 8]]], np.float32)
    nan = np.array([[[np.nan, 0.5, 0.5, 0.2]]], np.float32)
    yield nms("nan_is_last", line, nan, (9, 0.5, None), expected=[np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3]])])
    yield nms("nan_is_below", line, nan, (9, 0.5, 0.1), expected=[np.array([[0, 0, 1], [0, 0, 2], [0, 0, 3]])])
    yield nms("dynamic", corners, scores, (7, 0.3, 0.25), shapes={"boxes": [2, "n", 4], "scores": [2, 3, "n"]},
              flags=("--dim=n=1..50",))
    yield nms("bound", corners, scores, (7, 0.3, 0.25), flags=("--bound=y=60",))
    node = helper.make_node("NonMaxSuppression", ["boxes", "scores", "most", "overlap", "least"], ["k"])
    box = helper.make_node("Gather", ["k", "two"], ["i"], axis=1)
    flat = helper.make_node("Squeeze", ["i", "one"], ["j"])
    picked = helper.make_node("Gather", ["table", "j"], ["y"])
    yield Case("nms_then_gather", [node, box, flat, picked], {"boxes": corners[:1], "scores": scores[:1]}, ["y"], 13,
               constants={"most": np.array([5]), "overlap": np.float32([0.4]), "least": np.float32([0.2]),
                          "two": np.array([2]), "one": np.array([1]), "table": uniform(41, 3)})
    yield nms("wrong_boxes", corners[..., :3], scores, (1, 0.5, 0.1), refused="boxes are")


# --- RoiAlign, MaxRoiPool

def roi_align(name, x, rois, images, opset=16, **rest):
    keys = ("mode", "coordinate_transformation_mode", "sampling_ratio", "output_height", "output_width", "spatial_scale")
    attributes = {k: rest.pop(k) for k in keys if k in rest}
    node = helper.make_node("RoiAlign", ["x", "rois", "images"], ["y"], **attributes)
    return Case(f"roi_align_{name}", node, {"x": x, "rois": rois, "images": images}, ["y"], opset, **rest)


def aligned():
    x, images = uniform(2, 3, 7, 9), np.array([1, 0, 1, 0])
    rois = np.array([[0, 0, 8, 6], [1.3, 2.2, 5.1, 4.9], [-3, -2, 12, 9], [4, 4, 4.2, 4.1]], np.float32)
    shape = {"output_height": 3, "output_width": 2}
    for mode, pixel, ratio in itertools.product(("avg", "max"), ("half_pixel", "output_half_pixel"), (0, 2)):
        yield roi_align(f"{mode}_{pixel}_{ratio}", x, rois, images, mode=mode, coordinate_transformation_mode=pixel,
                        sampling_ratio=ratio, **shape)
    yield roi_align("scaled", x, rois * 4, images, spatial_scale=0.25, **shape)
    for dtype in (np.float16, np.float64):
        yield roi_align(f"of_{dtype.__name__}", x.astype(dtype), rois.astype(dtype), images, sampling_ratio=2, **shape,
                        tolerance="1e-2 1e-2" if dtype is np.float16 else "1e-5 1e-6")
    old = roi_align("as_before_16", x, rois, images, opset=10, **shape)
    old.expected = reference(roi_align("", x, rois, images, coordinate_transformation_mode="output_half_pixel", **shape))
    yield old
    wild = np.array([[np.nan, 0, 3, 3], [np.inf, 0, np.inf, 3]], np.float32)
    yield roi_align("wild", x, wild, np.array([0, 1]), expected=[np.zeros((2, 3, 1, 1), np.float32)])
    yield roi_align("no_regions", x, rois[:0], images[:0], expected=[np.zeros((0, 3, 1, 1), np.float32)])
    yield roi_align("dynamic", x, rois, images, **shape, shapes={"x": [2, 3, "h", 9], "rois": ["r", 4], "images": ["r"]},
                    flags=("--dim=h=4..8", "--dim=r=0..6"))
    conv = helper.make_node("Conv", ["x", "w"], ["c"])
    roi = helper.make_node("RoiAlign", ["c", "rois", "images"], ["s"], sampling_ratio=2, **shape)
    again = helper.make_node("Conv", ["s", "v"], ["y"])
    yield Case("roi_align_between_convolutions", [conv, roi, again], {"x": x, "rois": rois, "images": images}, ["y"], 16,
               constants={"w": uniform(37, 3, 1, 1), "v": uniform(4, 37, 1, 1)})
    yield roi_align("wrong_mode", x, rois, images, mode="sum", refused="mode 'sum' is neither")


def pooled(x, rois, bins, scale):
    y = np.zeros((len(rois), x.shape[1], *bins), x.dtype)
    limits = x.shape[2:]
    for r, (image, *corners) in enumerate(rois):
        c = [int(np.floor(abs(v) * scale + 0.5) * np.sign(v)) for v in corners]
        ranges = []
        for axis in (0, 1):
            start, size = c[1 - axis], max(c[3 - axis] - c[1 - axis] + 1, 1)
            ranges.append([np.clip([start + b * size // bins[axis], start - (-(b + 1) * size // bins[axis])], 0, limits[axis])
                           for b in range(bins[axis])])
        for i, j in itertools.product(range(bins[0]), range(bins[1])):
            part = x[int(image), :, slice(*ranges[0][i]), slice(*ranges[1][j])]
            y[r, :, i, j] = part.max(axis=(1, 2)) if part.size else 0
    return y


def roi_pools():
    x = uniform(2, 3, 7, 9)
    rois = np.array([[1, 0, 0, 8, 6], [0, 1.3, 2.2, 5.1, 4.9], [1, -3, -2, 12, 9], [0, 20, 20, 22, 22], [1, 5, 5, 2, 2]])
    for bins, scale in (((2, 3), 1.0), ((1, 1), 0.5), ((4, 5), 1.0)):
        node = helper.make_node("MaxRoiPool", ["x", "rois"], ["y"], pooled_shape=bins, spatial_scale=scale)
        for dtype in (np.float32, np.float64):
            inputs = {"x": x.astype(dtype), "rois": rois.astype(dtype)}
            yield Case(f"max_roi_pool_{bins[0]}_{bins[1]}_{dtype.__name__}", node, inputs, ["y"],
                       expected=[pooled(inputs["x"], rois, bins, scale)])


# --- MaxUnpool, Col2Im, DeformConv

def unpools():
    pool = helper.make_node("MaxPool", ["x"], ["p", "i"], kernel_shape=[2, 2], strides=[2, 2])
    back = helper.make_node("MaxUnpool", ["p", "i"], ["y"], kernel_shape=[2, 2], strides=[2, 2])
    for dtype in (np.float32, np.float64):
        yield Case(f"max_unpool_of_pool_{dtype.__name__}", [pool, back], {"x": uniform(2, 3, 4, 6, dtype=dtype)}, ["y"])
    x, i = uniform(1, 2, 2), np.array([[[1, 2], [4, 7]]])
    node = helper.make_node("MaxUnpool", ["x", "i", "s"], ["y"], kernel_shape=[2], strides=[2])
    y = np.zeros((1, 2, 6), np.float32)
    y[0, 0, [1, 2]], y[0, 1, [0, 3]] = x[0, 0], x[0, 1]
    yield Case("max_unpool_to_more", node, {"x": x, "i": i}, ["y"], constants={"s": np.array([1, 2, 6])}, expected=[y])
    yield Case("max_unpool_to_less", node, {"x": x, "i": i}, ["y"], constants={"s": np.array([1, 2, 3])},
               refused="is not as large as")


def col2im(name, x, image, block, **rest):
    attributes = {k: rest.pop(k) for k in ("strides", "pads", "dilations") if k in rest}
    node = helper.make_node("Col2Im", ["x", "image", "block"], ["y"], **attributes)
    return Case(f"col2im_{name}", node, {"x": x}, ["y"], constants={"image": np.array(image), "block": np.array(block)}, **rest)


def images():
    yield col2im("1d", uniform(2, 6, 4), (6,), (3,))
    form = {"strides": [2, 1], "pads": [1, 0, 2, 1], "dilations": [1, 2]}
    yield col2im("all_attributes", uniform(2, 3 * 6, 16), (5, 7), (3, 2)[::-1], **form)
    yield col2im("of_halves", uniform(1, 4, 9, dtype=np.float16), (4, 4), (2, 2), tolerance="1e-2 1e-2")
    yield col2im("of_integers", RANDOM.integers(-9, 9, (1, 4, 9)).astype(np.int32), (4, 4), (2, 2))
    yield col2im("dynamic", uniform(3, 4, 9), (4, 4), (2, 2), shapes={"x": ["n", 4, 9]}, flags=("--dim=n=1..4",))
    yield col2im("wrong_blocks", uniform(1, 4, 8), (4, 4), (2, 2), refused="the number of blocks")


def deform(name, x, w, offset, bias=None, mask=None, **rest):
    keys = ("strides", "pads", "dilations", "group", "offset_group", "kernel_shape")
    attributes = {k: rest.pop(k) for k in keys if k in rest}
    inputs = {"x": x, "w": w, "offset": offset, "b": bias, "mask": mask}
    names = [k if v is not None else "" for k, v in inputs.items()]
    given = {k: v for k, v in inputs.items() if v is not None}
    node = helper.make_node("DeformConv", names, ["y"], **attributes)
    return Case(f"deform_conv_{name}", node, given, ["y"], 22, **rest)


def deforms():
    x, w = uniform(2, 4, 6, 7), uniform(6, 4, 3, 2)
    yield deform("plain", x, w, uniform(2, 12, 4, 6, low=-2, high=2))
    form = {"strides": [2, 1], "pads": [1, 0, 2, 1], "dilations": [1, 2]}
    offset = uniform(2, 24, 4, 6, low=-2, high=2)
    yield deform("all", x, uniform(6, 2, 3, 2), offset, uniform(6), uniform(2, 12, 4, 6), group=2, offset_group=2, **form)
    double = [v.astype(np.float64) for v in (x, w, uniform(2, 12, 4, 6))]
    yield deform("of_doubles", *double, tolerance="1e-5 1e-6")
    yield deform("dynamic", x, w, uniform(2, 12, 4, 6), shapes={"x": ["n", 4, 6, 7], "offset": ["n", 12, 4, 6]},
                 flags=("--dim=n=1..3",))
    for axes, extents in ((1, (9,)), (3, (4, 3, 5))):
        x, w = uniform(1, 2, *extents), uniform(3, 2, *([2] * axes))
        conv = Case("", helper.make_node("Conv", ["x", "w"], ["y"]), {"x": x, "w": w}, ["y"])
        y = reference(conv)
        offset = np.zeros((1, axes * 2 ** axes, *y[0].shape[2:]), np.float32)
        yield deform(f"undisplaced_{axes}d", x, w, offset, expected=y)
    far = np.full((1, 8, 1, 1), np.inf, np.float32)
    yield deform("far", uniform(1, 1, 2, 2), uniform(1, 1, 2, 2), far, expected=[np.zeros((1, 1, 1, 1), np.float32)])
    yield deform("wrong_offsets", uniform(1, 1, 2, 2), uniform(1, 1, 2, 2), far[:, :6], refused="axis 1 of the offsets")


def cases():
    yield from suppressions()
    yield from aligned()
    yield from roi_pools()
    yield from unpools()
    yield from images()
    yield from deforms()
