#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put the architecture models of the zoo, weights and test data filled in, into a folder outside the repository, once.

    prepare.py SHARED OUT MODEL...        needs numpy, onnx, onnxruntime

OUT/MODEL holds model.onnx, weights.bin and test_data_set_0, made by SHARED/zoo/fill.py. A model whose only free dimension is
'sequence' gets two more data sets, of other lengths, one of them with a mask that hides the last tokens. A file complete.txt is
written last: a folder that has it is left alone.

NAME_float16 is NAME converted by to_float16.py. Its outputs are those of its own weights and inputs, worked out in float32:
rounding the weights moves mobilenetv2_100's answers by 2.4e-3 of their magnitude, which is the model's doing and not a compiler's.
"""
import pathlib
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

import to_float16

MORE_LENGTHS = {1: 5, 2: 128}  # data set: tokens; set 0 has fill.py's 48
HIDDEN_TOKENS = {1: 2, 2: 0}  # tokens at the end that the mask hides


def free_dimensions(model):
    stored = {t.name for t in model.graph.initializer}
    inputs = [v for v in model.graph.input if v.name not in stored]
    return inputs, {d.dim_param for v in inputs for d in v.type.tensor_type.shape.dim if d.dim_param}


def write_set(folder, session, feeds):
    outputs = [o.name for o in session.get_outputs()]
    write_arrays(folder, feeds, dict(zip(outputs, session.run(None, feeds))))


def write_arrays(folder, inputs, outputs):
    folder.mkdir(exist_ok=True)
    for kind, named in (("input", inputs), ("output", outputs)):
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


def round_weights(model):
    """Float32 weights that hold float16 values."""
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            rounded = to_float16.half(numpy_helper.to_array(tensor)).astype(np.float32)
            tensor.CopyFrom(numpy_helper.from_array(rounded, tensor.name))


def prepare_float16(source, folder):
    folder.mkdir(parents=True, exist_ok=True)
    rounded = onnx.load(source / "model.onnx")
    round_weights(rounded)
    onnx.save(rounded, folder / "rounded.onnx")
    session = reference_session(folder / "rounded.onnx")
    feeds, halves = {}, {}
    for i, value in enumerate(session.get_inputs()):
        tensor = onnx.TensorProto()
        tensor.ParseFromString((source / f"test_data_set_0/input_{i}.pb").read_bytes())
        array = numpy_helper.to_array(tensor)
        halves[value.name] = to_float16.half(array) if array.dtype == np.float32 else array
        feeds[value.name] = halves[value.name].astype(array.dtype)
    model = onnx.load(source / "model.onnx")
    to_float16.convert_graph(model.graph)
    types = [onnx.helper.tensor_dtype_to_np_dtype(o.type.tensor_type.elem_type) for o in model.graph.output]
    outputs = [a.astype(t) for a, t in zip(session.run(None, feeds), types)]
    write_arrays(folder / "test_data_set_0", halves, dict(zip([o.name for o in session.get_outputs()], outputs)))
    (folder / "rounded.onnx").unlink()
    onnx.save(model, folder / "model.onnx")


def prepare(shared, out, name):
    folder = out / name
    if (folder / "complete.txt").exists():
        return
    if name.endswith("_float16"):
        base = name[: -len("_float16")]
        prepare(shared, out, base)
        prepare_float16(out / base, folder)
        (folder / "complete.txt").write_text("ok\n")
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
