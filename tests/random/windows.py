# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random nodes over images: convolutions, pools, norms over channels, Resize, and blocks of pixels."""
import numpy as np

from values import F32


def image(g, low=3, high=5, claim=None):
    """[N, C, spatial...] with extents that windows fit into."""
    def fits(v):
        return all(d is None or d > 0 for d in v.dims) and v.dims[1] is not None and (claim is None or claim(v))
    if g.chance(0.6):
        x = g.operand(low=low, high=high, claim=fits, make=False)
        if x is not None:
            return x
    rank = g.choice([r for r in (3, 4, 4, 4, 5) if low <= r <= high])
    channels = g.choice([1, 2, 3, 4, 4, 6, 8, 8, 16, 12])
    spatial = [g.choice([1, 3, 5, 7, 8, 10, 13] if rank == 4 else [2, 5, 9, 17, 30] if rank == 3 else [2, 3, 4]) for _ in range(rank - 2)]
    if len(g.inputs) >= 6:
        return None
    axes = [0] if g.chance(0.7) else [0, rank - 1]
    x = g.new_input(g.float, [g.choice([1, 1, 2, 3]), channels, *spatial], axes)
    return x if fits(x) else None


def window(g, x, most=4, dilate=True, ceil=False):
    """Attributes of a window over the spatial axes of x; kernel_shape comes along."""
    rank = x.rank - 2
    same = g.chance(0.5)
    kernel = [g.integer(1, most)] * rank if same else [g.integer(1, most + 1) for _ in range(rank)]
    smallest = [min(x.sizes(2 + i)) for i in range(rank)]
    kernel = [min(k, max(s, 1)) for k, s in zip(kernel, smallest)]
    attributes = {"kernel_shape": kernel}
    if g.chance(0.6):
        attributes["strides"] = [g.integer(1, 3)] * rank if same else [g.integer(1, 3) for _ in range(rank)]
    if dilate and g.chance(0.3):
        # onnxruntime takes windows that do not fit.
        attributes["dilations"] = [g.integer(1, 2) if (k - 1) * 2 < s else 1 for k, s in zip(kernel, smallest)]
    if g.chance(0.25):
        attributes["auto_pad"] = g.choice(["SAME_UPPER", "SAME_LOWER", "VALID"])
        # onnxruntime's MaxPool pads as if there were no dilations.
        if ceil:
            attributes.pop("dilations", None)
    elif g.chance(0.6):
        attributes["pads"] = [g.integer(0, k - 1) for k in kernel] * 2 if same else [g.integer(0, k - 1) for k in kernel * 2]
    if ceil and g.chance(0.3):
        attributes["ceil_mode"] = 1
    return attributes


def conv(g):
    x = image(g)
    if x is None:
        return
    channels = x.dims[1]
    groups = g.choice([1, 1, 1, channels, next((d for d in (2, 3, 4) if channels % d == 0), 1)])
    out = groups * g.choice([1, 1, 2, 3, 4, 8])
    attributes = window(g, x)
    scale = 1.0 / np.sqrt(channels // groups * np.prod(attributes["kernel_shape"]))
    w = g.weights([out, channels // groups, *attributes["kernel_shape"]], low=-1.5 * scale, high=1.5 * scale)
    inputs = [x, w] + ([g.weights([out])] if g.chance(0.6) else [])
    if g.chance(0.3):
        del attributes["kernel_shape"]
    if groups != 1:
        attributes["group"] = groups
    g.node("Conv", inputs, **attributes)


def conv_transpose(g):
    x = image(g)
    if x is None:
        return
    channels = x.dims[1]
    groups = g.choice([1, 1, channels, next((d for d in (2, 3) if channels % d == 0), 1)])
    attributes = window(g, x, most=3)
    if attributes.get("auto_pad", "")[:4] == "SAME" and any(k < s for k, s in zip(attributes["kernel_shape"], attributes.get("strides", []))):
        return  # the standard says input * stride; onnxruntime does not lengthen
    each = g.choice([1, 2, 3])
    w = g.weights([channels, each, *attributes["kernel_shape"]])
    if "strides" in attributes and "auto_pad" not in attributes and g.chance(0.4):
        attributes["output_padding"] = [g.integer(0, s - 1) for s in attributes["strides"]]
    g.node("ConvTranspose", [x, w] + ([g.weights([groups * each])] if g.chance(0.5) else []), group=groups, **attributes)


def pool(g):
    x = image(g)
    op = g.choice(["MaxPool", "MaxPool", "AveragePool", "AveragePool", "LpPool"])
    if x is None:
        return
    dilate = op == "MaxPool" or g.opset >= (19 if op == "AveragePool" else 18)
    attributes = window(g, x, dilate=dilate, ceil=op != "LpPool" or g.opset >= 18)
    if attributes.get("auto_pad", "")[:4] == "SAME" and any(k < s for k, s in zip(attributes["kernel_shape"], attributes.get("strides", []))):
        return  # the padding would be negative
    if op == "AveragePool" and g.chance(0.4):
        attributes["count_include_pad"] = 1
    if op == "LpPool" and g.chance(0.5):
        attributes["p"] = g.choice([1, 2, 3])
    if op == "MaxPool" and g.chance(0.25):
        g.node(op, [x], outputs=2, storage_order=g.integer(0, 1), **attributes)
    else:
        g.node(op, [x], **attributes)


def global_pool(g):
    x = image(g)
    # The reference's GlobalMaxPool is right for two spatial axes only.
    op = g.choice(["GlobalAveragePool", "GlobalMaxPool" if g.float == F32 else "GlobalAveragePool", "GlobalLpPool"])
    g.node(op, [x], **({"p": g.choice([1, 2, 3])} if op == "GlobalLpPool" else {}))


def channel_norm(g):
    x = image(g)
    if x is None:
        return
    op = g.choice(["BatchNormalization", "BatchNormalization", "InstanceNormalization", "GroupNormalization", "LRN"])
    c = x.dims[1]
    scale, bias = g.weights([c], low=0.5, high=1.5), g.weights([c])
    epsilon = {"epsilon": g.choice([1e-5, 1e-3])} if g.chance(0.6) else {}
    if op == "BatchNormalization":
        g.node(op, [x, scale, bias, g.weights([c]), g.weights([c], low=0.3, high=2.0)], **epsilon)
    elif op == "InstanceNormalization":
        g.node(op, [x, scale, bias], **epsilon)
    elif op == "GroupNormalization" and g.opset >= 18:
        groups = g.choice([d for d in range(1, c + 1) if c % d == 0])
        n = c if g.opset >= 21 else groups
        g.node(op, [x, g.weights([n], low=0.5, high=1.5), g.weights([n])], num_groups=groups, **epsilon)
    elif op == "LRN" and g.float == F32:  # the reference takes batches for channels
        g.node(op, [x], size=g.choice([1, 3, 5]), alpha=g.choice([1e-4, 0.1]), beta=g.choice([0.75, 0.5]), bias=g.choice([1.0, 2.0]))


def blocks(g):
    block = g.choice([2, 2, 3])
    if g.chance(0.5):
        x = image(g, 4, 4, lambda v: v.dims[1] % (block * block) == 0)
        g.node("DepthToSpace", [x], blocksize=block, mode=g.choice(["DCR", "CRD"]))
    else:
        x = image(g, 4, 4, lambda v: all(d is not None and d % block == 0 for d in v.dims[2:]))
        g.node("SpaceToDepth", [x], blocksize=block)


def resize(g):
    x = image(g, 3, 5)
    if x is None:
        return
    rank, mode = x.rank, g.choice(["nearest", "nearest", "linear", "cubic"])
    transform = g.choice(["half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel"] + (["half_pixel_symmetric"] if g.opset >= 19 else []))
    attributes = {"mode": mode, "coordinate_transformation_mode": transform}
    if mode == "nearest":
        attributes["nearest_mode"] = g.choice(["round_prefer_floor", "round_prefer_ceil", "floor", "ceil"])
    if mode == "cubic":
        if rank != 4:
            return
        attributes.update(cubic_coeff_a=g.choice([-0.75, -0.5]), exclude_outside=g.integer(0, 1))
    if g.opset >= 18 and mode in ("linear", "cubic") and g.chance(0.25):
        attributes["antialias"] = 1
    roi = g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None
    # Halves and wholes: a position must not fall between two elements by rounding.
    scales = [1.0, 1.0] + [g.choice([0.5, 1.0, 2.0, 2.0, 3.0, 1.5]) for _ in range(rank - 2)]
    by_scales = g.chance(0.5) or not x.fixed
    if by_scales and transform != "half_pixel" and not all(n * s % 1 == 0 for i, s in enumerate(scales) for n in x.sizes(i)):
        return  # the standard puts corners at the unrounded size, onnxruntime at the rounded one
    if by_scales:
        g.node("Resize", [x, roi or g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None, g.constant(np.array(scales, np.float32))], **attributes)
    else:
        sizes = [*x.dims[:2], *[g.choice([d, 2 * d, max(1, d // 2), d + 2]) for d in x.dims[2:]]]
        g.node("Resize", [x, roi, g.constant(np.zeros(0, np.float32)) if g.opset < 13 else None, g.ints(sizes)], **attributes)


FAMILY = [(10, conv), (4, conv_transpose), (7, pool), (2, global_pool), (5, channel_norm), (3, blocks), (4, resize)]
