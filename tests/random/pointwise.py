# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random elementwise nodes, with broadcasting. Each function takes a Graph and adds a node, or none."""
import numpy as np
from onnx import helper

from values import BFLOAT16, BOOL, F16, F32, F64, FLOATS, INT32, INT64, INTEGERS, SIGNED, UNSIGNED, is_float

SINCE = {"HardSwish": 14, "Mish": 18, "Gelu": 20, "Swish": 24, "Celu": 12, "BitwiseNot": 18}
ANY = """Abs Neg Relu Sigmoid Tanh Exp Erf Softplus Softsign Elu Selu Celu LeakyRelu HardSigmoid HardSwish Mish Gelu ThresholdedRelu
Shrink Sin Cos Sinh Asinh Cosh Atan Floor Ceil Round Sign Identity Swish Dropout""".split()
ATTRIBUTES = {"Elu": ["alpha"], "Selu": ["alpha", "gamma"], "Celu": ["alpha"], "LeakyRelu": ["alpha"], "ThresholdedRelu": ["alpha"],
              "HardSigmoid": ["alpha", "beta"], "Shrink": ["lambd", "bias"], "Swish": ["alpha"]}


def unary(g):
    op = g.choice(ANY)
    if g.opset < SINCE.get(op, 1) or (op == "Gelu" and g.special):
        return  # of -infinity the two say NaN, by the formula, and macec 0
    attributes = {name: float(g.random.uniform(0.1, 1.5)) for name in ATTRIBUTES.get(op, []) if g.chance(0.6)}
    if op == "Gelu" and g.chance(0.5):
        attributes["approximate"] = "tanh"
    g.node(op, [g.operand()], **attributes)


def domain_limited(g):
    """Functions that are defined on a part of the line, behind one that goes there."""
    op = g.choice("Log Sqrt Reciprocal Acos Asin Atanh Acosh Tan".split())
    x = g.operand()
    if x is None:
        return
    if op in ("Acos", "Asin", "Atanh", "Tan"):
        x = x if -0.9 < x.low() and x.high() < 0.9 else g.node("Mul", [g.node("Tanh", [x]), g.constant(0.8, x.dtype)])
    elif x.low() < 0.1:
        x = positive(g, x)
    if op == "Acosh" and x is not None:
        x = g.node("Add", [x, g.constant(1.5, x.dtype)])
    g.node(op, [x])


def positive(g, x):
    y = g.node(g.choice(["Abs", "Softplus", "Sigmoid"]), [x])
    return g.node("Add", [y, g.constant(0.5, y.dtype)]) if y is not None else None


def integer_unary(g):
    op = g.choice(["Abs", "Neg", "Sign", "Relu", "Identity", "BitwiseNot"])
    if g.opset < (14 if op == "Relu" else SINCE.get(op, 1)):
        return
    g.node(op, [g.operand(UNSIGNED + SIGNED if op in ("Abs", "Sign", "Identity", "BitwiseNot") else SIGNED)])


def logic(g):
    if g.chance(0.3):
        g.node("Not", [g.operand((BOOL,))])
        return
    x = g.operand((BOOL,))
    y = partner(g, x) if x is not None else None
    g.node(g.choice(["And", "Or", "Xor", "Equal"]), [x, y] if y is not None else [x, x])


def classify(g):
    x = g.operand((F32, F16) if g.opset < 20 else None)
    if g.chance(0.5):
        g.node("IsNaN", [x])
    else:
        g.node("IsInf", [x], detect_negative=g.integer(0, 1), detect_positive=g.integer(0, 1))


def partner(g, x, nonzero=False):
    """A value that broadcasts with x: one that is there, a constant, or a new input."""
    def fits(v):
        return v.dtype == x.dtype and all(
            a.shape[-1 - k] == b.shape[-1 - k] or (v.dims[-1 - k] == 1 or x.dims[-1 - k] == 1)
            for a, b in zip(v.arrays, x.arrays) for k in range(min(v.rank, x.rank)))
    if g.chance(0.5):
        there = [v for v in g.values if fits(v) and (not nonzero or v.every(lambda a: not a.size or abs(a.astype(np.float64)).min() > 0.2))]
        if there:
            return g.choice(there[-5:])
    dims, is_constant = [], g.chance(0.7)
    for axis, extent in enumerate(x.dims):
        known = extent if extent is not None else None if is_constant else g.symbol_of(x.sizes(axis))
        if extent == 1 and g.chance(0.2):
            known = g.choice([2, 3, 5])
        dims.append(1 if known is None or g.chance(0.3) else known)
    if g.chance(0.3):
        dims = dims[g.integer(0, len(dims)):]
    elif g.chance(0.07) and len(dims) < 5:
        dims = [g.choice([1, 2])] + dims
    if not is_constant:
        kind = "positive" if nonzero else None
        return g.input(x.dtype, dims, kind) if len(g.inputs) < 5 and not (nonzero and not is_float(x.dtype)) else None
    from values import random_array
    array = random_array(g.random, x.dtype, dims, "positive" if nonzero else None)
    return g.constant(np.where(array == 0, 3, array).astype(x.dtype) if nonzero else array)


def binary(g):
    op = g.choice(["Add", "Sub", "Mul", "Add", "Mul", "Div", "Max", "Min", "PRelu", "Pow"])
    types = (g.float,) if g.chance(0.75) or op in ("PRelu", "Pow") else INTEGERS if g.opset >= 14 else (INT32, INT64)
    x = g.operand(types)
    if x is None:
        return
    if op == "Pow":
        exponent = g.choice([0.0, 1.0, 2.0, 3.0, 2.0]) if x.low() < 0.1 else g.choice([0.5, -0.5, -1.0, 1.7, 2.0])
        g.node("Pow", [x, g.constant(exponent, x.dtype)])
        return
    y = partner(g, x, nonzero=op == "Div")
    if y is None:
        return
    if op == "Div" and not all(a.size == 0 or abs(a.astype(np.float64)).min() > 0.2 for a in y.arrays):
        return
    swap = g.chance(0.3) and op not in ("PRelu", "Div")
    g.node(op, [y, x] if swap else [x, y])


def modulo(g):
    floats = g.chance(0.4) and g.float in (F32, F64)
    x = g.operand((g.float,) if floats else INTEGERS)
    y = partner(g, x, nonzero=True) if x is not None else None
    if y is None or not all(a.size == 0 or abs(a.astype(np.float64)).min() > 0.2 for a in y.arrays):
        return
    g.node("Mod", [x, y], fmod=1 if floats else g.integer(0, 1))


def several(g):
    x = g.operand()
    if x is None:
        return
    more = [p for p in (partner(g, x) for _ in range(g.integer(0, 3))) if p is not None]
    g.node(g.choice(["Sum", "Mean", "Max", "Min"]), [x, *more])


def compare(g):
    op = g.choice(["Equal", "Less", "Greater", "LessOrEqual", "GreaterOrEqual"])
    types = (g.float,) if g.chance(0.5) else (INT32, INT64)
    x = g.operand(types)
    if x is None or (g.opset < 12 and op.endswith("OrEqual")):
        return
    g.node(op, [x, partner(g, x)])


def bits(g):
    op = g.choice(["BitShift", "BitwiseAnd", "BitwiseOr", "BitwiseXor"])
    if op != "BitShift" and g.opset < 18:
        return
    x = g.operand(UNSIGNED if op == "BitShift" else INTEGERS)
    if x is None:
        return
    if op == "BitShift":
        amount = g.constant(g.random.randint(0, 8, [d or 1 for d in x.dims]).astype(x.dtype))
        g.node(op, [x, amount], direction=g.choice(["LEFT", "RIGHT"]))
    else:
        g.node(op, [x, partner(g, x)])


def clip(g):
    x = g.operand((g.float,) if g.opset < 12 or g.chance(0.7) else SIGNED)
    if x is None:
        return
    low, high = sorted(g.random.uniform(-2, 4, 2))
    limits = [g.constant(np.array(v).astype(x.dtype)) for v in (low, high)]
    # Without a limit the reference keeps infinities, and onnxruntime does not.
    if g.chance(0.3) and not g.special:
        limits[g.integer(0, 1)] = None
    g.node("Clip", [x, *limits])


def where(g):
    x = g.operand((g.float,) if g.chance(0.7) else INTEGERS + (BOOL,))
    if x is None:
        return
    condition = g.operand((BOOL,), claim=lambda c: all(broadcasts(a.shape, b.shape) for a, b in zip(c.arrays, x.arrays)), make=False)
    if condition is None:
        if is_float(x.dtype) and not x.exact:
            return
        condition = g.node("Less", [x, partner(g, x)]) if x.dtype in (g.float, INT32, INT64) else None
    y = partner(g, x)
    if condition is not None and y is not None:
        g.node("Where", [condition, x, y] if g.chance(0.5) else [condition, y, x])


def broadcasts(a, b):
    try:
        np.broadcast_shapes(a, b)
        return True
    except ValueError:
        return False


def cast(g):
    x = g.operand(FLOATS + INTEGERS + (BOOL,))
    if x is None:
        return
    to = g.choice([F32, F32, g.float, F64, F16, BOOL, INT64, INT32, np.dtype(np.int8), np.dtype(np.uint8), np.dtype(np.uint16)]
                  + ([BFLOAT16] if g.opset >= 13 else []))
    if not is_float(to) and is_float(x.dtype) and to != BOOL:
        info = np.iinfo(to)
        if not (x.every(lambda a: np.all(np.isfinite(a.astype(np.float64)))) and x.low() > info.min - 1 and x.high() < info.max):
            return
    kind = helper.np_dtype_to_tensor_dtype(to)
    if g.opset >= 15 and g.chance(0.2):
        g.node("CastLike", [x, g.constant(np.zeros(1), to)])
    else:
        g.node("Cast", [x], to=kind)


FAMILY = [(10, unary), (3, domain_limited), (2, integer_unary), (2, logic), (1, classify), (12, binary), (2, modulo), (3, several),
          (3, compare), (2, bits), (3, clip), (4, where), (4, cast)]
# What says clearly what NaN and infinity become.
SPECIAL = [(10, unary), (8, binary), (3, several), (3, compare), (3, clip), (4, where), (2, classify)]
