#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Finds the node to blame: narrow.py OUT SEED

Makes a model of each node of a seed's graph with the inputs that it has there, and of the first 1, 2, 3... nodes, and prints for
each what onnxruntime, the reference and macec say of each other.
"""
import pathlib
import sys

import numpy as np
import onnx

import engines
import macec
import make
from values import distance, magnitude


def bodies(node):
    """Names that a node's bodies use."""
    for attribute in node.attribute:
        if attribute.type == onnx.AttributeProto.GRAPH:
            for inner in attribute.g.node:
                yield from inner.input


def write_case(folder, model, used, outputs, answers):
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    make.write_set(folder / "test_data_set_0", "input", [v.arrays[0] for v in used], [v.name for v in used])
    make.write_set(folder / "test_data_set_0", "output", answers, outputs)


def gap(a, b):
    if a is None or b is None:
        return "cannot"
    if any(x.shape != y.shape or x.dtype != y.dtype for x, y in zip(a, b)):
        return "type or shape: " + " ".join(f"{x.dtype}{list(x.shape)}/{y.dtype}{list(y.shape)}" for x, y in zip(a, b))
    return f"{max((distance(x, y) / (magnitude(y) or 1) for x, y in zip(a, b)), default=0):.2g}"


def single(g, node, known, stored):
    names = [n for n in dict.fromkeys([*node.input, *bodies(node)]) if n in known or n in stored]
    used = [known[n] for n in names if n in known]
    # As in Graph.single, but with static shapes.
    class Held:
        pass
    constants = []
    for n in names:
        if n in stored:
            held = Held()
            held.name, held.arrays = n, [stored[n]]
            constants.append(held)
    sets, g.sets = g.sets, 1
    model = g.single(node, used, constants)
    g.sets = sets
    return model, used


def main():
    out, seed = pathlib.Path(sys.argv[1]) / f"narrow{sys.argv[2]}", int(sys.argv[2])
    g = make.build(seed)
    known = {v.name: v for v in g.values}
    stored = {t.name: onnx.numpy_helper.to_array(t) for t in g.initializers}
    stored.update({n.output[0]: onnx.numpy_helper.to_array(n.attribute[0].t) for n in g.nodes if n.op_type == "Constant"})
    rows, folders = [], []
    for number, node in enumerate(g.nodes):
        if node.op_type == "Constant":
            continue
        model, used = single(g, node, known, stored)
        feeds = [{v.name: v.arrays[0] for v in used}]
        ort, reference = engines.run_with(engines.ort, model, feeds), engines.run_with(engines.reference, model, feeds)
        best = ort or reference
        folder = out / f"{number:02}_{node.op_type}"
        write_case(folder, model, used, [n for n in node.output if n], best[0])
        folders.append(folder)
        rows.append((folder, node, gap(ort and ort[0], reference and reference[0]), used))
    results = macec.verify_many(folders, extra=["--target=x86-64-v3", "--optimize=-O0"])
    for folder, node, engines_gap, used in rows:
        status, text = results[str(folder)]
        attributes = " ".join(f"{a.name}={onnx.helper.get_attribute_value(a)}" for a in node.attribute if a.type != 5)
        print(f"{folder.name}: {', '.join(node.input)} -> {', '.join(node.output)}  {attributes}\n    " +
              " ".join(f"{v.dtype}{list(v.dims)}" for v in used) +
              f"\n    onnxruntime and reference {engines_gap}; macec {status} {text.strip()[:300] if status != 'passed' else ''}")


if __name__ == "__main__":
    main()
