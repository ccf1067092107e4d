# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random nodes of quantized models."""
import numpy as np

from values import F32
from windows import image, window

INT8, UINT8, INT32 = np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.int32)


def zero_point(g, dtype, dims=()):
    low, high = (100, 156) if dtype == UINT8 else (-20, 21)
    return g.constant(g.random.randint(low, high, dims).astype(dtype))


def scale_of(g, x, dims=()):
    top = max((float(np.abs(a.astype(np.float64)).max()) for a in x.arrays if a.size), default=1.0) or 1.0
    return g.constant((g.random.uniform(0.8, 1.6, dims) * top / 127).astype(np.float32))


def quantize(g):
    x = g.operand((F32,), low=1)
    if x is None:
        return
    dtype = g.choice([UINT8, INT8] + ([np.dtype(np.int16), np.dtype(np.uint16)] if g.opset >= 21 else []))
    axis = g.integer(0, x.rank - 1)
    per_axis = g.opset >= 13 and x.dims[axis] is not None and g.chance(0.4)
    dims = [x.dims[axis]] if per_axis else []
    scale = scale_of(g, x, dims)
    inputs = [x, scale] + ([zero_point(g, dtype, dims)] if g.chance(0.8) or dtype != UINT8 else [])
    y = g.node("QuantizeLinear", inputs, wobbly=[scale], **({"axis": axis} if per_axis else {}))
    if y is not None and g.chance(0.6):
        g.node("DequantizeLinear", [y, *inputs[1:]], **({"axis": axis} if per_axis else {}))


def dequantize(g):
    x = g.operand((UINT8, INT8, INT32), low=1)
    if x is None:
        return
    axis = g.integer(0, x.rank - 1)
    per_axis = g.opset >= 13 and x.dims[axis] is not None and g.chance(0.5)
    dims = [x.dims[axis]] if per_axis else []
    scale = g.constant(g.random.uniform(0.01, 0.1, dims).astype(np.float32))
    inputs = [x, scale] + ([zero_point(g, x.dtype, dims)] if x.dtype != INT32 and g.chance(0.7) else [])
    if g.opset >= 21 and x.fixed and x.dims[axis] % 2 == 0 and x.dims[axis] and g.chance(0.4):
        dims = [d // 2 if i == axis else d for i, d in enumerate(x.dims)]
        g.node("DequantizeLinear", [x, g.constant(g.random.uniform(0.01, 0.1, dims).astype(np.float32))], axis=axis, block_size=2)
    else:
        g.node("DequantizeLinear", inputs, **({"axis": axis} if per_axis else {}))


def dynamic_quantize(g):
    g.node("DynamicQuantizeLinear", [g.operand((F32,), low=1)], outputs=3)


def integer_product(g):
    x = g.operand((UINT8, INT8), low=2, high=3, claim=lambda v: v.dims[-1])
    if x is None:
        return
    k, n, other = x.dims[-1], g.choice([1, 3, 8, 17]), g.choice([INT8, UINT8])
    w = g.constant(g.random.randint(0, 100, [k, n]).astype(other))
    if g.chance(0.5):
        points = [zero_point(g, x.dtype), zero_point(g, other)] if g.chance(0.6) else []
        g.node("MatMulInteger", [x, w, *points])
    else:
        dtype = g.choice([INT8, UINT8])
        scales = [g.constant(np.array(s, np.float32)) for s in (0.02, 0.01, g.random.uniform(0.05, 0.3))]
        g.node("QLinearMatMul", [x, scales[0], zero_point(g, x.dtype), w, scales[1], zero_point(g, other), scales[2], zero_point(g, dtype)],
               wobbly=[scales[2]])


def integer_conv(g):
    x = g.operand((UINT8, INT8), low=4, high=4, claim=lambda v: None not in v.dims[1:] and 0 not in v.dims)
    if x is None:
        if len(g.inputs) > 4:
            return
        x = g.new_input(g.choice([UINT8, INT8]), [1, g.choice([1, 3, 4, 8]), g.choice([5, 8]), g.choice([4, 7])], [0])
    c = x.dims[1]
    groups = g.choice([1, 1, c])
    out = groups * g.choice([1, 2, 4])
    attributes = window(g, x, most=3)
    other = g.choice([INT8, UINT8, INT8])
    w = g.constant(g.random.randint(0, 60, [out, c // groups, *attributes["kernel_shape"]]).astype(other))
    if g.chance(0.4):
        points = [zero_point(g, x.dtype), zero_point(g, other)][:g.integer(0, 2)]
        g.node("ConvInteger", [x, w, *points], group=groups, **attributes)
        return
    per_channel = g.chance(0.5)
    w_scale = g.constant(g.random.uniform(0.005, 0.02, [out] if per_channel else []).astype(np.float32))
    y_scale, dtype = g.constant(np.array(g.random.uniform(0.05, 0.2), np.float32)), x.dtype
    bias = [g.constant(g.random.randint(-500, 500, [out]).astype(np.int32))] if g.chance(0.5) else []
    w_point = g.constant(np.zeros([out] if per_channel else [], other)) if per_channel or g.chance(0.5) else zero_point(g, other)
    g.node("QLinearConv", [x, g.constant(np.array(0.02, np.float32)), zero_point(g, x.dtype), w, w_scale, w_point, y_scale, zero_point(g, dtype), *bias],
           wobbly=[y_scale], group=groups, **attributes)


FAMILY = [(6, quantize), (4, dequantize), (1, dynamic_quantize), (3, integer_product), (4, integer_conv)]
