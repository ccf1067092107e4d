#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Write the model tests that the PyPI package onnx carries as files in the form of the node tests, once.

    write_stored_tests.py OUT        OUT/{light,pytorch-converted,pytorch-operator,simple}/NAME/...

`light` has the networks of `real` without their weights. Inputs are not stored: the package's runner makes them, and so does this.
Of `real` there are only addresses, and the tolerances of `light`.
"""
import json
import pathlib
import shutil
import sys

import numpy as np
import onnx
from onnx import numpy_helper

from write_node_tests import PINNED

WHOLE = ("pytorch-converted", "pytorch-operator", "simple")


def write_tolerance(folder, settings):
    given = json.loads(settings.read_text()) if settings.exists() else {}
    (folder / "tolerance.txt").write_text(f"{given.get('rtol', 1e-3):g} {given.get('atol', 1e-7):g}\n")


def write_light(path, real, out):
    """One network: its input counts from 0 up to 1 in even steps."""
    name = path.stem.removeprefix("light_")
    data = out / name / "test_data_set_0"
    data.mkdir(parents=True)
    shutil.copy(path, out / name / "model.onnx")
    write_tolerance(out / name, real / f"test_{name}" / "data.json")
    graph = onnx.load(path).graph
    weights = {tensor.name for tensor in graph.initializer}
    for i, x in enumerate(x for x in graph.input if x.name not in weights):
        shape = [d.dim_value if d.HasField("dim_value") else 1 for d in x.type.tensor_type.shape.dim]
        value = (np.arange(np.prod(shape)).reshape(shape) / np.prod(shape)).astype(np.float32)
        (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(value, x.name).SerializeToString())
    for i in range(len(graph.output)):
        shutil.copy(path.with_name(f"{path.stem}_output_{i}.pb"), data / f"output_{i}.pb")


def main():
    out = pathlib.Path(sys.argv[1])
    if onnx.__version__ != PINNED:
        sys.exit(f"write_stored_tests.py: needs onnx {PINNED}, not {onnx.__version__}")
    stamp = out / "complete.txt"
    if stamp.exists() and stamp.read_text().strip() == PINNED:
        return
    package = pathlib.Path(onnx.__file__).parent / "backend" / "test" / "data"
    shutil.rmtree(out, ignore_errors=True)
    for kind in WHOLE:
        for folder in sorted(package.joinpath(kind).iterdir()):
            if (folder / "model.onnx").exists():
                shutil.copytree(folder, out / kind / folder.name)
                write_tolerance(out / kind / folder.name, folder / "data.json")
    for path in sorted(package.joinpath("light").glob("*.onnx")):
        write_light(path, package / "real", out / "light")
    stamp.write_text(PINNED + "\n")
    print(f"wrote the package's stored tests to {out}")


if __name__ == "__main__":
    main()
