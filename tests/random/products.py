# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random matrix products, reductions, norms over rows, and recurrent layers."""
import numpy as np

from values import F16, F32, INT32, INT64


def scaled(g, dims, k):
    return g.weights(dims, low=-1.5 / np.sqrt(max(k, 1)), high=1.5 / np.sqrt(max(k, 1)))


def matmul(g):
    x = g.operand(low=1, high=4, claim=lambda v: v.dims[-1] is not None)
    if x is None:
        return
    k, n = x.dims[-1], g.choice([1, 2, 3, 5, 8, 16, 17])
    if g.chance(0.3):
        there = g.operand(low=1, high=4, claim=lambda v: v.rank >= 2 and v.dims[-2] == k, make=False)
        if there is not None:
            g.node("MatMul", [x, there])
            return
    batch = [d if d is not None and g.chance(0.6) else 1 for d in x.dims[:-2]]
    dims = [k] if g.chance(0.1) else [k, n] if g.chance(0.6) else [*batch[g.integer(0, len(batch)):], k, n]
    y = scaled(g, dims, k) if g.chance(0.75) or len(g.inputs) > 5 else g.input(g.float, dims)
    if g.chance(0.2) and len(dims) == 2 and x.rank >= 2 and x.dims[-2] is not None:
        g.node("MatMul", [scaled(g, [n, x.dims[-2]], k), x])
    else:
        g.node("MatMul", [x, y])


def self_product(g):
    """x times its own transpose: attention's scores."""
    x = g.operand(low=2, high=4)
    if x is None:
        return
    turned = g.node("Transpose", [x], perm=[*range(x.rank - 2), x.rank - 1, x.rank - 2])
    scores = g.node("MatMul", [x, turned]) if turned is not None else None
    scores = g.node("Mul", [scores, g.constant(0.25, x.dtype)]) if scores is not None else None
    scores = g.node("Softmax", [scores], axis=-1) if scores is not None and g.chance(0.7) else scores
    if scores is not None and g.chance(0.7):
        g.node("MatMul", [scores, x])


def gemm(g):
    x = g.operand(low=2, high=2)
    if x is None:
        return
    trans_a, trans_b = g.integer(0, 1), g.integer(0, 1)
    m, k = (x.dims[1], x.dims[0]) if trans_a else x.dims
    if k is None:
        return
    n = g.choice([1, 2, 5, 8, 16, 17])
    inputs = [x, scaled(g, [n, k] if trans_b else [k, n], k)]
    if g.chance(0.7):
        inputs.append(g.weights(g.choice([[n], [1, n], [1], [], [m or 1, 1], [m or 1, n]])))
    attributes = {key: v for key, v in (("alpha", 0.5), ("beta", 1.5), ("transA", trans_a), ("transB", trans_b)) if v and (key[0] == "t" or g.chance(0.4))}
    g.node("Gemm", inputs, **attributes)


EQUATIONS = ["ij,jk->ik", "bij,bjk->bik", "bij,bkj->bik", "ij->ji", "ij->i", "ij->", "ii->i", "ii->", "i,j->ij", "ij,ij->ij", "ij,j->i",
             "bhid,bhjd->bhij", "bhij,bhjd->bhid", "ij,jk,kl->il", "...ij,...jk->...ik", "abc,cd->abd", "abcd->dcba", "ij,ik->jk", "ij,kl->ijkl",
             "abc->b", "ab,bc", "bij , bjk -> bik"]


def einsum(g):
    if g.opset < 12:
        return
    equation = g.choice(EQUATIONS)
    terms = equation.split("->")[0].replace(" ", "").split(",")
    labels = sorted(set("".join(terms)) - {"."})
    size = {label: g.choice([1, 2, 3, 4, 5, 8]) for label in labels}
    inputs = []
    for term in terms:
        dims = [size[c] for c in term.replace("...", "")]
        if "..." in term:
            dims = g.choice([[], [2], [2, 3]]) + dims
        there = g.operand(low=len(dims), high=len(dims), claim=lambda v: v.dims == tuple(dims), make=False)
        inputs.append(there or (g.input(g.float, dims) if len(g.inputs) < 4 else g.weights(dims)))
    g.node("Einsum", inputs, equation=equation)


REDUCE = "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd ReduceL1 ReduceL2 ReduceLogSumExp ReduceSumSquare ReduceLogSum".split()


def reduce(g):
    op = g.choice(REDUCE)
    x = g.operand((g.float,) if g.chance(0.8) or op in ("ReduceL2", "ReduceLogSumExp", "ReduceLogSum", "ReduceProd") else (INT32, INT64), low=1)
    if x is None or (op in ("ReduceLogSum",) and x.low() < 0.1):
        return
    axes = sorted(g.random.choice(x.rank, g.integer(1, x.rank), replace=False).tolist())
    axes = [a - x.rank if g.chance(0.3) else a for a in axes] if g.opset >= 11 else axes
    attributes = {"keepdims": g.integer(0, 1)} if g.chance(0.7) else {}
    as_input = g.opset >= (13 if op == "ReduceSum" else 18)
    if as_input and g.chance(0.15):
        attributes["noop_with_empty_axes"] = g.integer(0, 1)
    if g.chance(0.15):
        g.node(op, [x], **attributes)
    elif as_input:
        g.node(op, [x, g.ints(axes)], **attributes)
    else:
        g.node(op, [x], axes=axes, **attributes)


def softmax(g):
    x = g.operand(low=1)
    op = g.choice(["Softmax", "Softmax", "LogSoftmax", "Hardmax"])
    if x is not None:
        g.node(op, [x], **({"axis": g.integer(-x.rank, x.rank - 1)} if g.chance(0.8) else {}))


def row_norm(g):
    x = g.operand(low=1)
    if x is None:
        return
    axis = g.integer(0, x.rank - 1)
    op = g.choice(["LayerNormalization", "LayerNormalization", "RMSNormalization", "LpNormalization", "MeanVarianceNormalization"])
    if op == "LpNormalization":
        g.node(op, [x], axis=axis - x.rank, p=g.choice([1, 2]))
    elif op == "MeanVarianceNormalization":
        g.node(op, [x], axes=sorted({0, axis}))
    elif None not in x.dims[axis:] and g.opset >= (17 if op[0] == "L" else 23):
        dims = list(x.dims[axis:])
        scale, bias = g.weights(dims, low=0.5, high=1.5), [g.weights(dims)] if op[0] == "L" and g.chance(0.7) else []
        outputs = [1, g.chance(0.5), g.chance(0.5)] if op[0] == "L" and g.chance(0.2) else 1
        if g.float not in (F32, F16):  # the reference gives the mean the type of x, not that of stash_type
            outputs = 1
        g.node(op, [x, scale, *bias], outputs=outputs, axis=g.choice([axis, axis - x.rank]), **({"epsilon": 1e-3} if g.chance(0.5) else {}))


def arg(g):
    x = g.operand((g.float,) if g.chance(0.6) else (INT32, F32), low=1)
    if x is None:
        return
    axis = g.integer(-x.rank, x.rank - 1)
    if g.chance(0.5):
        last = {"select_last_index": 1} if g.opset >= 12 and g.chance(0.3) else {}
        g.node(g.choice(["ArgMax", "ArgMin"]), [x], axis=axis, keepdims=g.integer(0, 1), **last)
    else:
        k = g.integer(1, max(1, min(x.sizes(axis))))
        g.node("TopK", [x, g.ints([k])], outputs=2, axis=axis, largest=g.integer(0, 1), sorted=1)


def cumsum(g):
    x = g.operand((g.float, INT32, INT64), low=1)
    if x is not None:
        axis = g.integer(-x.rank, x.rank - 1)
        g.node("CumSum", [x, g.constant(np.array(axis if g.chance(0.5) else [axis], np.int64).reshape(()))], exclusive=g.integer(0, 1), reverse=g.integer(0, 1))


def recurrent(g):
    op = g.choice(["LSTM", "GRU", "RNN"])
    x = g.operand(low=3, high=3, claim=lambda v: v.dims[2] is not None and max(v.sizes(0)) <= 12 and v.size > 0)
    if x is None or g.float != F32:  # the reference knows no lengths
        return
    gates, hidden = {"LSTM": 4, "GRU": 3, "RNN": 1}[op], g.choice([1, 2, 4, 5, 8])
    layout = 1 if g.opset >= 14 and g.chance(0.15) else 0
    batch, steps = (x.dims[0], x.dims[1]) if layout else (x.dims[1], x.dims[0])
    direction = g.choice(["forward", "reverse", "bidirectional"])
    d = 2 if direction == "bidirectional" else 1
    width = x.dims[2]
    inputs = [x, g.weights([d, gates * hidden, width], low=-0.6, high=0.6), g.weights([d, gates * hidden, hidden], low=-0.6, high=0.6)]
    inputs.append(g.weights([d, 2 * gates * hidden], low=-0.5, high=0.5) if g.chance(0.7) else None)
    fixed = batch is not None and steps is not None
    # Only the reference has layout 1, and it knows neither lengths nor clip nor activations.
    lengths = fixed and steps > 0 and not layout and g.chance(0.3)
    inputs.append(g.constant(g.random.randint(1, steps + 1, batch).astype(np.int32)) if lengths else None)
    state = [batch, d, hidden] if layout else [d, batch, hidden]
    with_state = fixed and g.chance(0.4)
    inputs.append(g.weights(state) if with_state else None)
    if op == "LSTM" and with_state:
        inputs.append(g.weights(state))
        if g.chance(0.4):
            inputs.append(g.weights([d, 3 * hidden], low=-0.4, high=0.4))
    while inputs[-1] is None:
        inputs.pop()
    attributes = {"hidden_size": hidden, "direction": direction}
    if layout:
        attributes["layout"] = 1
    if op == "GRU" and g.chance(0.5):
        attributes["linear_before_reset"] = 1
    if g.chance(0.15) and not layout:
        attributes["clip"] = 0.8
    if op == "RNN" and g.chance(0.4) and not layout:
        attributes["activations"] = [g.choice(["Relu", "Tanh", "Sigmoid"]) for _ in range(d)]
    wanted = [1, g.chance(0.6), g.chance(0.4)] if op == "LSTM" else [g.chance(0.7), 1]
    g.node(op, inputs, outputs=wanted, **attributes)


FAMILY = [(7, matmul), (2, self_product), (4, gemm), (3, einsum), (7, reduce), (4, softmax), (4, row_norm), (3, arg), (2, cumsum), (3, recurrent)]
