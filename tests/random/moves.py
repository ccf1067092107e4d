# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random nodes that move elements, and chains that work out shapes."""
import numpy as np

from values import BOOL, F32, FLOATS, INT32, INT64, INTEGERS, is_float


def anything(g, **wanted):
    """Of any type, mostly the graph's float."""
    return g.operand((g.float,) if g.chance(0.75) else FLOATS[:2] + INTEGERS + (BOOL,), **wanted)


def transpose(g):
    x = anything(g, low=1)
    if x is not None:
        g.node("Transpose", [x], **({"perm": g.random.permutation(x.rank).tolist()} if g.chance(0.85) else {}))


def split_extent(g, n):
    """A list of 1 to 3 extents whose product is n."""
    dims = [n]
    for _ in range(g.integer(0, 2)):
        divisors = [d for d in range(1, dims[-1] + 1) if dims[-1] and dims[-1] % d == 0]
        if divisors:
            d = g.choice(divisors)
            dims[-1:] = [d, dims[-1] // d]
    return dims


def reshape(g):
    x = anything(g)
    if x is None:
        return
    if x.fixed:
        dims = split_extent(g, x.size)
        g.random.shuffle(dims)
        if g.chance(0.4) and x.size:
            dims[g.integer(0, len(dims) - 1)] = -1
    else:
        # Dynamic axes stay where they are as 0, or become the one -1.
        dims = [0 if d is None else d for d in x.dims]
        if x.dims.count(None) == 1 and g.chance(0.5):
            dims = [-1, int(np.prod([d for d in x.dims if d is not None]))] if g.chance(0.5) else [-1]
        elif x.dims[-1] is not None:
            dims[-1:] = split_extent(g, x.dims[-1]) if x.dims[-1] else [0]
    g.node("Reshape", [x, g.ints(dims)])


def flatten(g):
    x = anything(g, low=1)
    if x is not None:
        g.node("Flatten", [x], axis=g.integer(-x.rank, x.rank))


def squeeze(g):
    x = anything(g, low=1)
    if x is None:
        return
    ones = [i for i, d in enumerate(x.dims) if d == 1]
    if ones and g.chance(0.6):
        axes, op = [a - x.rank if g.chance(0.4) else a for a in ones if g.chance(0.7)] or ones, "Squeeze"
    else:
        axes, op = sorted({g.integer(0, x.rank) for _ in range(g.integer(1, 2))}), "Unsqueeze"
    if g.opset >= 13:
        g.node(op, [x, g.ints(axes)])
    else:
        g.node(op, [x], axes=axes)


def slice_(g):
    x = anything(g, low=1)
    if x is None:
        return
    axes = sorted(g.random.choice(x.rank, g.integer(1, min(2, x.rank)), replace=False).tolist())
    starts, ends, steps = [], [], []
    for axis in axes:
        n = max(min(x.sizes(axis)), 1)
        start, end, step = g.integer(-n, n - 1), g.choice([n, n - 1, 2**63 - 1, -1, 1000]), g.choice([1, 1, 1, 2, 3])
        if g.chance(0.2):
            start, end, step = g.choice([-1, n - 1, 1000]), g.choice([-n - 1, -2**63, 0]), -g.choice([1, 2])
        starts.append(start), ends.append(end), steps.append(step)
    kind = g.choice([np.int64, np.int32]) if max(map(abs, ends)) < 2**31 else np.int64
    given = [a - x.rank if g.chance(0.3) else a for a in axes]
    parts = [g.constant(np.array(p, kind)) for p in (starts, ends, given, steps)]
    g.node("Slice", [x, *(parts if any(s != 1 for s in steps) or g.chance(0.3) else parts[:3])])


def concat(g):
    x = anything(g, low=1)
    if x is None:
        return
    axis = g.integer(0, x.rank - 1)

    def agrees(v):
        return v.rank == x.rank and all(v.sizes(i) == x.sizes(i) for i in range(x.rank) if i != axis)
    parts = [x]
    for _ in range(g.integer(0, 3)):
        there = g.operand((x.dtype,), low=x.rank, high=x.rank, claim=agrees, make=False) if g.chance(0.7) else None
        if there is None and None not in [d for i, d in enumerate(x.dims) if i != axis]:
            dims = [g.integer(1, 4) if i == axis else d for i, d in enumerate(x.dims)]
            there = g.constant(g.random.randint(0, 2, dims).astype(x.dtype))
        if there is not None:
            parts.append(there)
    g.random.shuffle(parts)
    g.node("Concat", parts, axis=axis - x.rank if g.chance(0.3) else axis)


def split(g):
    x = anything(g, low=1, claim=lambda v: any(d is not None and d >= 2 for d in v.dims))
    if x is None:
        return
    axis = g.choice([i for i, d in enumerate(x.dims) if d is not None and d >= 2])
    n, parts = x.dims[axis], g.integer(2, min(3, x.dims[axis]))
    sizes = [n // parts] * (parts - 1) + [n - n // parts * (parts - 1)]
    if g.chance(0.4):
        g.random.shuffle(sizes)
        sizes[0], sizes[-1] = sizes[0] + sizes[-1] - 1, 1
    if g.opset >= 18 and g.chance(0.3) and -(-n // parts) * (parts - 1) < n:
        g.node("Split", [x], outputs=parts, axis=axis, num_outputs=parts)
    elif g.opset >= 13:
        g.node("Split", [x, g.ints(sizes)], outputs=parts, axis=axis)
    else:
        g.node("Split", [x], outputs=parts, axis=axis, split=sizes)


def pad(g):
    x = anything(g, low=1)
    if x is None:
        return
    mode = g.choice(["constant", "constant", "constant", "reflect", "edge"] + (["wrap"] if g.opset >= 19 else []))
    limits = [min(x.sizes(i)) - 1 if mode == "reflect" else min(x.sizes(i)) for i in range(x.rank)] * 2
    pads = [g.integer(0, max(0, min(3, limit))) if g.chance(0.6) else 0 for limit in limits]
    if mode == "constant" and g.chance(0.25):
        pads[0] = -1 if min(x.sizes(0)) > 1 else 0
    inputs = [x, g.ints(pads)]
    if mode == "constant" and g.chance(0.5):
        inputs.append(g.constant(np.array(1).astype(x.dtype)))
    g.node("Pad", inputs, mode=mode)


def tile(g):
    x = anything(g, low=1)
    if x is not None:
        g.node("Tile", [x, g.ints([g.choice([1, 1, 2, 3]) for _ in range(x.rank)])])


def expand(g):
    x = anything(g, low=0)
    if x is None:
        return
    dims = [g.choice([d or 1, 1, d or 1]) if d != 1 else g.choice([1, 2, 3, 5]) for d in x.dims]
    if g.chance(0.4) and x.rank < 5:
        dims = [g.choice([1, 2, 3])] + dims
    g.node("Expand", [x, g.ints(dims)])


def indices(g, dims, extent, negative=True):
    """Whole numbers that index an axis, as a constant or a new input; None where extent is 0."""
    if extent < 1:
        return None
    array = g.random.randint(-extent if negative and g.chance(0.4) else 0, extent, dims).astype(g.choice([np.int64, np.int32]))
    if g.chance(0.6) or len(g.inputs) > 4:
        return g.constant(array)
    value = g.input(array.dtype, dims)
    value.arrays = value.twins = [array] * g.sets
    return value


def gather(g):
    x = anything(g, low=1)
    if x is None:
        return
    axis = g.integer(0, x.rank - 1)
    at = indices(g, g.choice([[], [1], [3], [2, 2], [5]]), min(x.sizes(axis)))
    if at is not None:
        g.node("Gather", [x, at], axis=g.choice([axis, axis - x.rank]))


def gather_elements(g):
    x = anything(g, low=1)
    if x is None or not x.fixed:
        return
    axis = g.integer(0, x.rank - 1)
    dims = [g.integer(1, 4) if i == axis else g.integer(1, d) if d else 0 for i, d in enumerate(x.dims)]
    if not g.chance(0.3):
        dims = [g.integer(1, 6) if i == axis else d for i, d in enumerate(x.dims)]
    at = indices(g, dims, x.dims[axis])
    if at is not None:
        g.node("GatherElements", [x, at], axis=axis)


def tuples(g, x, depth, batch=0, distinct=False):
    """[..., depth] indices into the axes of x from `batch` on."""
    extents = x.dims[batch:batch + depth]
    if None in x.dims[:batch + depth] or 0 in x.dims:
        return None
    count = g.integer(1, 4)
    if distinct:
        flat = g.random.permutation(int(np.prod(extents)))[:count]
        return g.constant(np.stack(np.unravel_index(flat, extents), -1).astype(np.int64))
    shape = [*x.dims[:batch], count]
    return g.constant(np.stack([g.random.randint(-d, d, shape) for d in extents], -1).astype(np.int64))


def gather_nd(g):
    x = anything(g, low=1)
    if x is None:
        return
    batch = g.integer(0, 1) if x.rank >= 2 and g.opset >= 12 else 0
    at = tuples(g, x, g.integer(1, x.rank - batch), batch)
    if at is not None:
        g.node("GatherND", [x, at], **({"batch_dims": batch} if batch else {}))


def scatter(g):
    x = anything(g, low=1)
    if x is None or not x.fixed or 0 in x.dims:
        return
    reduction = g.choice(["none", "add", "mul"] + (["max", "min"] if g.opset >= 18 else [])) if g.opset >= 16 and x.dtype != BOOL else None
    attributes = {"reduction": reduction} if reduction and reduction != "none" else {}
    if g.chance(0.5):
        at = tuples(g, x, g.integer(1, x.rank), distinct=True)
        depth = at.dims[-1]
        updates = [at.dims[0], *x.dims[depth:]]
        op = "ScatterND"
    else:
        axis = g.integer(0, x.rank - 1)
        dims = [g.integer(1, d) for d in x.dims]
        at = np.argsort(g.random.rand(*[x.dims[axis] if i == axis else d for i, d in enumerate(dims)]), axis)
        at = g.constant(np.take(at, range(dims[axis]), axis).astype(np.int64))
        updates, op = dims, "ScatterElements"
        attributes["axis"] = axis
    made = g.operand((x.dtype,), low=len(updates), high=len(updates), claim=lambda v: list(v.dims) == updates, make=False)
    made = made or g.constant(g.random.randint(0, 5, updates).astype(x.dtype))
    g.node(op, [x, at, made], **attributes)


def one_hot(g):
    depth = g.integer(2, 6)
    at = g.operand((INT64, INT32), high=3)
    if at is not None:
        values = g.constant(np.array([0, 1] if g.chance(0.6) else [-1, 2]).astype(g.choice([F32, np.dtype(np.int64), g.float if g.float == F32 else F32])))
        g.node("OneHot", [at, g.constant(np.array(depth, np.int64)), values], axis=g.choice([-1, 0]))


def trilu(g):
    x = anything(g, low=2)
    if x is not None and g.opset >= 14:
        k = [g.constant(np.array(g.integer(-2, 2), np.int64))] if g.chance(0.6) else []
        g.node("Trilu", [x, *k], upper=g.integer(0, 1))


def make(g):
    op = g.choice(["EyeLike", "ConstantOfShape", "Range", "ReverseSequence"])
    if op == "EyeLike":
        g.node(op, [g.operand(low=2, high=2)], k=g.integer(-1, 2))
    elif op == "ConstantOfShape":
        from onnx import helper
        g.node(op, [g.ints(g.extents(g.integer(0, 3), 60))], value=helper.make_tensor("v", 1, [1], [0.5]))
    elif op == "Range":
        start, step = g.integer(-5, 5), g.choice([1, 2, 3, -1])
        g.node(op, [g.constant(np.array(v, np.int64)) for v in (start, start + step * g.integer(1, 9), step)])
    else:
        x = anything(g, low=2)
        if x is not None and x.fixed and 0 not in x.dims:
            lengths = g.constant(g.random.randint(1, x.dims[0] + 1, x.dims[1]).astype(np.int64))
            g.node(op, [x, lengths], time_axis=0, batch_axis=1)


def shape_chain(g):
    """What exporters write: extents taken from a value, and a shape put together from them."""
    x = anything(g, low=1)
    if x is None or 0 in x.dims:
        return
    shape = g.node("Shape", [x])
    if shape is None:
        return
    axis = g.integer(0, x.rank - 1)
    one = g.node("Gather", [shape, g.ints([axis]) if g.chance(0.7) else g.ints([axis - x.rank])], axis=0)
    kind = g.choice(["reshape", "constant", "expand", "range", "sum"])
    if one is None:
        return
    if kind == "reshape":
        parts = g.node("Concat", [one, g.ints([-1])] if g.chance(0.6) else [g.ints([-1]), one], axis=0)
        g.node("Reshape", [x, parts])
    elif kind == "constant":
        parts = g.node("Concat", [one, g.ints([g.integer(1, 4)])], axis=0)
        g.node("ConstantOfShape", [parts])
    elif kind == "expand":
        parts = g.node("Concat", [g.ints([g.integer(1, 3)]), shape], axis=0)
        g.node("Expand", [x, parts])
    elif kind == "range":
        count = g.node("Gather", [shape, g.constant(np.array(axis, np.int64))], axis=0)
        g.node("Range", [g.constant(np.array(0, np.int64)), count, g.constant(np.array(1, np.int64))])
    else:
        doubled = g.node(g.choice(["Add", "Mul", "Sub"]), [one, g.ints([2])])
        g.node("Cast", [doubled], to=1)


def size(g):
    x = anything(g, low=0)
    options = {"start": g.integer(-2, 2), "end": g.integer(1, 4)} if g.opset >= 15 and g.chance(0.5) else {}
    g.node("Shape", [x], **options) if g.chance(0.6) else g.node("Size", [x])


FAMILY = [(5, transpose), (5, reshape), (2, flatten), (3, squeeze), (6, slice_), (6, concat), (4, split), (4, pad), (2, tile), (3, expand), (4, gather),
          (2, gather_elements), (2, gather_nd), (4, scatter), (1, one_hot), (2, trilu), (2, make), (4, shape_chain), (1, size)]
SPECIAL = [(5, transpose), (5, reshape), (6, slice_), (6, concat), (3, pad), (3, tile), (3, gather), (3, expand)]
