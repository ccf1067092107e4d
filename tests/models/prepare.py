#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put the architecture models of the zoo, weights and test data filled in, into a folder outside the repository, once.

    prepare.py SHARED OUT MODEL...        needs numpy, onnx, onnxruntime

OUT/MODEL holds model.onnx, weights.bin and test_data_set_0, made by SHARED/zoo/fill.py. A model whose only free dimension is
'sequence' gets two more data sets, of other lengths, one of them with a mask that hides the last tokens. A file complete.txt is
written last: a folder that has it is left alone.
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

MORE_LENGTHS = {1: 5, 2: 128}  # data set: tokens; set 0 has fill.py's 48
HIDDEN_TOKENS = {1: 2, 2: 0}  # tokens at the end that the mask hides


def free_dimensions(model):
    stored = {t.name for t in model.graph.initializer}
    inputs = [v for v in model.graph.input if v.name not in stored]
    return inputs, {d.dim_param for v in inputs for d in v.type.tensor_type.shape.dim if d.dim_param}


def write_set(folder, session, feeds):
    folder.mkdir(exist_ok=True)
    outputs = [o.name for o in session.get_outputs()]
    for kind, named in (("input", feeds), ("output", dict(zip(outputs, session.run(None, feeds))))):
        for i, (name, array) in enumerate(named.items()):
            (folder / f"{kind}_{i}.pb").write_bytes(numpy_helper.from_array(array, name).SerializeToString())


def reference_session(path):
    """ONNX Runtime without any graph optimization, one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def add_lengths(folder, inputs):
    session = reference_session(folder / "model.onnx")
    for number, length in MORE_LENGTHS.items():
        rng = np.random.RandomState(100 + number)
        feeds = {}
        for value in inputs:
            dims = [d.dim_value or length for d in value.type.tensor_type.shape.dim]
            if "mask" in value.name:
                feeds[value.name] = np.ones(dims, np.int64)
                feeds[value.name][..., length - HIDDEN_TOKENS[number] :] = 0
            else:
                feeds[value.name] = rng.randint(0, 900, dims).astype(np.int64)
        write_set(folder / f"test_data_set_{number}", session, feeds)


def prepare(shared, out, name):
    folder = out / name
    if (folder / "complete.txt").exists():
        return
    subprocess.run([sys.executable, str(shared / "zoo/fill.py"), str(out), name, "--data"], check=True, stdout=subprocess.DEVNULL)
    inputs, free = free_dimensions(onnx.load(folder / "model.onnx", load_external_data=False))
    if free == {"sequence"}:
        add_lengths(folder, inputs)
    (folder / "complete.txt").write_text("ok\n")
    print(f"wrote {folder}")


def main():
    shared, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    for name in sys.argv[3:]:
        prepare(shared, out, name)


if __name__ == "__main__":
    main()
