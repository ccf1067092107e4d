# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random If and Loop nodes with small bodies that use outer values."""
import numpy as np
from onnx import helper

from values import BOOL, F32

BODY_UNARY = ["Relu", "Tanh", "Sigmoid", "Neg", "Abs", "Identity"]


def info(name, dtype, dims=None):
    return helper.make_tensor_value_info(name, helper.np_dtype_to_tensor_dtype(dtype), dims)


def small_body(g, x, result):
    """Nodes from the value named x to one named `result`, of the same shape."""
    nodes, at = [], x
    for i in range(g.integer(1, 3)):
        name = g.name("b")
        if g.chance(0.6):
            nodes.append(helper.make_node(g.choice(BODY_UNARY), [at], [name], name=g.name("body")))
        else:
            nodes.append(helper.make_node(g.choice(["Add", "Mul"]), [at, x], [name], name=g.name("body")))
        at = name
    nodes[-1].output[0] = result
    return nodes


def branch(g, x):
    result = g.name("branch")
    return helper.make_graph(small_body(g, x.name, result), g.name("g"), [], [info(result, x.dtype)])


def if_(g):
    x = g.operand(low=1, claim=lambda v: not v.constant)
    if x is None:
        return
    condition = g.operand((BOOL,), high=0, make=False)
    if condition is None and len(g.inputs) < 6:
        condition = g.input(BOOL, [])
    if condition is None:
        return
    y = g.operand(claim=lambda v: v.rank == x.rank and all(a.shape == b.shape for a, b in zip(v.arrays, x.arrays)) and not v.constant, make=False)
    y = y if y is not None and y.name else x
    g.node("If", [condition], captures=list({x.name: x, y.name: y}.values()), then_branch=branch(g, x), else_branch=branch(g, y))


def loop(g):
    """x' = body(x) a number of times; perhaps what each step gives, stacked."""
    x = g.operand(low=0, high=3)
    if x is None:
        return
    captured = g.operand(claim=lambda v: all(a.shape == b.shape for a, b in zip(v.arrays, x.arrays)) and not v.constant, make=False)
    step, alive, state, going, out = (g.name(s) for s in ("step", "alive", "state", "going", "out"))
    nodes = [helper.make_node("Identity", [alive], [going], name=g.name("body"))] + small_body(g, state, out)
    if captured is not None and g.chance(0.6):
        mixed = g.name("mixed")
        nodes.append(helper.make_node("Sub", [out, captured.name], [mixed], name=g.name("body")))
        out = mixed
    else:
        captured = None
    results = [info(going, BOOL, []), info(out, x.dtype)]
    scan = g.float == F32 and g.chance(0.4)  # the reference stacks along the first axis
    if scan:
        copy = g.name("scan")
        nodes.append(helper.make_node("Identity", [out], [copy], name=g.name("body")))
        results.append(info(copy, x.dtype))
    body = helper.make_graph(nodes, g.name("g"), [info(step, np.dtype(np.int64), []), info(alive, BOOL, []), info(state, x.dtype)], results)
    trips = g.constant(np.array(g.integer(1, 4), np.int64))
    start = g.constant(np.array(True)) if g.float != F32 or g.chance(0.5) else None  # the reference takes none for false
    g.node("Loop", [trips, start, x], outputs=1 + scan, captures=[captured] if captured is not None else [], body=body)


FAMILY = [(1, if_), (1, loop)]
