#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random valid graphs as folders: make.py OUT SEED...

OUT/SEED/model.onnx and test_data_set_N with onnxruntime's answers, or the reference's where onnxruntime cannot. Where the reference says
something else, OUT/SEED/other1 has its answers. Some graphs only one of the two can run, or neither, and one of them may be wrong in a
node: so the answers of single nodes, of onnxruntime where it can, are a third opinion. OUT/SEED/about.txt: symbols, and who answered.
"""
import pathlib
import shutil
import sys

import numpy as np
import onnx
from onnx import numpy_helper

import control
import engines
import moves
import pointwise
import products
import quantized
import windows
from graph import Graph
from values import BFLOAT16, F16, F32, distance, magnitude

FAMILIES = [(34, pointwise.FAMILY), (26, moves.FAMILY), (18, windows.FAMILY), (18, products.FAMILY), (7, quantized.FAMILY), (4, control.FAMILY)]
SPECIAL = [(3, pointwise.SPECIAL), (2, moves.SPECIAL)]
MOST_TRIES = 200


def drawn(g, weighted):
    weights = np.array([w for w, _ in weighted], float)
    return weighted[g.random.choice(len(weighted), p=weights / weights.sum())][1]


def build(seed):
    """A Graph with 3 to 20 nodes."""
    g = Graph(seed)
    wanted = g.integer(3, 20)
    families = SPECIAL if g.special else FAMILIES
    # Some graphs stay within a family, which makes odd neighbours more likely.
    if not g.special and g.chance(0.25):
        families = [g.choice(FAMILIES), FAMILIES[0]]
    for _ in range(MOST_TRIES):
        if len(g.nodes) >= wanted:
            break
        drawn(g, drawn(g, families))(g)
    # All dynamic graphs have the same sizes, so that they go into programs together; an input without users is valid.
    for name in g.symbols:
        if not any(name in dims for _, dims in g.inputs):
            g.input(g.float, [name])
    return g


def write_set(folder, prefix, arrays, names):
    folder.mkdir(exist_ok=True)
    for i, (array, name) in enumerate(zip(arrays, names)):
        (folder / f"{prefix}_{i}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())


def tolerance(outputs, g):
    """The line of tolerance.txt: needed where halves were on the way."""
    share = {F16: 0.03, BFLOAT16: 0.16}.get(g.float, 0.03 if any(v.dtype == F16 for v in g.values) else 0)
    if any(v.dtype == BFLOAT16 for v in g.values):
        share = 0.16
    floats = [v for v in outputs if v.dtype.kind == "f" or v.dtype == BFLOAT16]
    if not share or not floats:
        return None
    top = max(magnitude(a) for v in floats for a in v.arrays)
    return f"{share} {share * top:.3g}\n"


def close(a, b, g):
    limit = 1e-4 if g.float.itemsize >= 4 else 0.1
    return all(distance(x, y) <= limit * magnitude(y) if x.dtype.kind not in "iub" else np.array_equal(x, y)
               for s, t in zip(a, b) for x, y in zip(s, t))


def distinct(answers, g):
    """The answers that there are, without those that say the same as one before."""
    kept = {}
    for name, answer in answers.items():
        if answer is not None and not any(close(answer, other, g) for other in kept.values()):
            kept[name] = answer
    return kept


def write(seed, out):
    """Writes the folder of a seed. Returns a line about it."""
    g = build(seed)
    outputs = g.outputs()
    if len(g.nodes) < 3 or not outputs:
        return f"{seed} empty"
    model = g.model(outputs)
    used = [v for v, _ in g.inputs]
    feeds = [{v.name: v.arrays[s] for v in used} for s in range(g.sets)]
    answers = {"onnxruntime": engines.run_with(engines.ort, model, feeds), "reference": engines.run_with(engines.reference, model, feeds),
               "node by node": [[v.arrays[s] for v in outputs] for s in range(g.sets)]}
    kept = distinct(answers, g)
    shutil.rmtree(out / str(seed), ignore_errors=True)
    folder = out / str(seed)
    for number, answer in enumerate(kept.values()):
        case = folder if number == 0 else folder / f"other{number}"
        case.mkdir(parents=True)
        (case / "model.onnx").write_bytes(model.SerializeToString())
        for s in range(g.sets):
            write_set(case / f"test_data_set_{s}", "input", [v.arrays[s] for v in used], [v.name for v in used])
            write_set(case / f"test_data_set_{s}", "output", answer[s], [v.name for v in outputs])
        (case / "tolerance.txt").write_text(tolerance(outputs, g)) if tolerance(outputs, g) else None
    symbols = ",".join(name for name in g.symbols if any(name in dims for _, dims in g.inputs)) or "-"
    text = f"{seed} {symbols} {len(g.nodes)} nodes, opset {g.opset}, {g.float}; {', '.join(kept)}"
    (folder / "about.txt").write_text(text + "\n")
    return text


def main():
    out, seeds = pathlib.Path(sys.argv[1]), [int(a) for a in sys.argv[2:]]
    for seed in seeds:
        print(write(seed, out), flush=True)


if __name__ == "__main__":
    main()
