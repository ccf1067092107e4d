#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the node tests that the PyPI package onnx makes as folders, once.

    write_node_tests.py OUT        OUT/NAME/{model.onnx,tolerance.txt,test_data_set_N/{input,output}_K.pb}

K counts the graph's inputs and outputs in graph order. An input that is an optional without a value is an OptionalProto, a
sequence a SequenceProto, all else a TensorProto. OUT/complete.txt holds the version and the number of tests; when it is there
and right, nothing is written again.
"""
import pathlib
import shutil
import sys
import warnings

import numpy as np
import onnx
from onnx import numpy_helper

PINNED = "1.23.2"


def to_proto(value, declared):
    """The message of one value. `declared` is its ValueInfoProto, which decides the kind and the name."""
    kind = declared.type.WhichOneof("value")
    if isinstance(value, onnx.TensorProto):
        tensor = onnx.TensorProto()
        tensor.CopyFrom(value)
        tensor.name = declared.name
        return tensor
    if kind == "map_type":
        return numpy_helper.from_dict(value, declared.name)
    if kind == "sequence_type":
        return numpy_helper.from_list(value, declared.name)
    if kind == "optional_type":
        return numpy_helper.from_optional(value, declared.name)
    return numpy_helper.from_array(np.asarray(value), declared.name)


def write_values(folder, prefix, values, declared):
    if len(values) > len(declared):
        raise ValueError(f"{folder}: {len(values)} values for {len(declared)} {prefix}s")
    for i, value in enumerate(values):
        (folder / f"{prefix}_{i}.pb").write_bytes(to_proto(value, declared[i]).SerializeToString())


def write_case(case, out):
    folder = out / case.name
    folder.mkdir()
    (folder / "model.onnx").write_bytes(case.model.SerializeToString())
    (folder / "tolerance.txt").write_text(f"{case.rtol:g} {case.atol:g}\n")
    for number, (inputs, outputs) in enumerate(case.data_sets):
        data = folder / f"test_data_set_{number}"
        data.mkdir()
        write_values(data, "input", inputs, case.model.graph.input)
        write_values(data, "output", outputs, case.model.graph.output)


def main():
    out = pathlib.Path(sys.argv[1])
    if onnx.__version__ != PINNED:
        sys.exit(f"write_node_tests.py: needs onnx {PINNED}, not {onnx.__version__}")
    stamp = out / "complete.txt"
    if stamp.exists() and stamp.read_text().split()[0] == PINNED:
        print(f"{stamp.read_text().split()[1]} node tests are in {out}")
        return
    warnings.filterwarnings("ignore")
    import onnx.backend.test.loader as loader

    cases = loader.load_model_tests(kind="node")
    shutil.rmtree(out, ignore_errors=True)
    out.mkdir(parents=True)
    for case in cases:
        write_case(case, out)
    stamp.write_text(f"{PINNED} {len(cases)}\n")
    print(f"wrote {len(cases)} node tests to {out}")


if __name__ == "__main__":
    main()
