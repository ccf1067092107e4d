#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Put models of the zoo, with weights and test data, into a folder outside the repository, once.

    prepare.py SHARED OUT all|MODEL...        needs numpy, onnx, onnxruntime

OUT/MODEL holds model.onnx, weights.bin and test_data_set_N: an architecture's are made by SHARED/zoo/fill.py, a real model's are
copied; more_sizes.py adds sets of other sizes to models that leave some open. A file complete.txt is written last: a folder that
has it is left alone.

NAME_float16 is NAME converted by to_float16.py. Its outputs are those of its own weights and inputs, worked out in float32:
rounding the weights moves mobilenetv2_100's answers by 2.4e-3 of their magnitude, which is the model's doing and not a compiler's.
"""
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import onnx
from onnx import numpy_helper

import more_sizes
import to_float16
import zoo_table

DONE = "data sets of three sizes, cut by axis\n"  # what complete.txt says; a folder that says anything else is made again


def reference_session(path):
    """ONNX Runtime without any graph optimization, one thread."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    options.log_severity_level = 3
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


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
        array = more_sizes.read_value(source / f"test_data_set_0/input_{i}.pb")
        halves[value.name] = to_float16.half(array) if array.dtype == np.float32 else array
        feeds[value.name] = halves[value.name].astype(array.dtype)
    model = onnx.load(source / "model.onnx")
    to_float16.convert_graph(model.graph)
    types = [onnx.helper.tensor_dtype_to_np_dtype(o.type.tensor_type.elem_type) for o in model.graph.output]
    outputs = [a.astype(t) for a, t in zip(session.run(None, feeds), types)]
    more_sizes.write_arrays(folder / "test_data_set_0", halves, dict(zip([o.name for o in session.get_outputs()], outputs)))
    (folder / "rounded.onnx").unlink()
    onnx.save(model, folder / "model.onnx")


def prepare(shared, out, name):
    folder = out / name
    mark = folder / "complete.txt"
    if mark.exists() and mark.read_text() == DONE:
        return
    shutil.rmtree(folder, ignore_errors=True)
    if name.endswith("_float16"):
        base = name[: -len("_float16")]
        prepare(shared, out, base)
        prepare_float16(out / base, folder)
        mark.write_text(DONE)
        return
    real = shared / "zoo/real" / name
    if real.is_dir():
        shutil.copytree(real, folder, dirs_exist_ok=True)
    else:
        subprocess.run([sys.executable, str(shared / "zoo/fill.py"), str(out), name, "--data"], check=True, stdout=subprocess.DEVNULL)
    more_sizes.add(name, folder, reference_session)
    mark.write_text(DONE)
    print(f"wrote {folder}")


def main():
    shared, out = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    out.mkdir(parents=True, exist_ok=True)
    names = sys.argv[3:]
    if "all" in names:
        names = zoo_table.ALL + [n for n in names if n != "all"]
    for name in names:
        prepare(shared, out, name)


if __name__ == "__main__":
    main()
