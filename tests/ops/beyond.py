#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Operators in forms that ONNX's node tests do not have: beyond.py [NAME...]

Each module of MODULES has a function cases() that yields Case objects. Expected outputs are those of the case, or else
of the package's reference implementation. NAME: part of a case's name.
"""
import dataclasses
import importlib
import pathlib
import shutil
import sys
import tempfile
import warnings

import numpy as np
import onnx
from onnx import helper, numpy_helper
from onnx.reference import ReferenceEvaluator

import macec
from report import Report

MODULES = ["beyond_random", "beyond_spatial", "beyond_control", "beyond_old_opsets", "beyond_sequences",
           "beyond_integers", "beyond_regions", "beyond_signals", "beyond_structure",
           "beyond_types"]
TARGETS = {"x86-64-v3": None, "armv7": "qemu-arm"}


@dataclasses.dataclass
class Case:
    name: str
    nodes: list  # of onnx.helper.make_node; one may stand alone
    inputs: dict  # name: array
    outputs: list  # names
    opset: int = 22
    constants: dict = dataclasses.field(default_factory=dict)
    shapes: dict = dataclasses.field(default_factory=dict)  # of inputs, with names of dimensions
    flags: tuple = ()
    expected: list = None  # arrays; None: of the reference implementation
    refused: str = ""  # part of the message when it must be refused
    tolerance: str = "1e-4 1e-5"


def model_of(case):
    nodes = case.nodes if isinstance(case.nodes, list) else [case.nodes]
    types = {k: helper.np_dtype_to_tensor_dtype(v.dtype) for k, v in case.inputs.items()}
    inputs = [helper.make_tensor_value_info(k, types[k], case.shapes.get(k, v.shape)) for k, v in case.inputs.items()]
    outputs = [helper.make_value_info(name, onnx.TypeProto()) for name in case.outputs]
    initializers = [numpy_helper.from_array(v, k) for k, v in case.constants.items()]
    graph = helper.make_graph(nodes, case.name, inputs, outputs, initializers)
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", case.opset)], ir_version=10)


def expected_of(case, model):
    if case.expected is not None:
        return case.expected
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return ReferenceEvaluator(model).run(None, case.inputs)


def write_case(case, folder):
    folder.mkdir()
    model = model_of(case)
    expected = [] if case.refused else expected_of(case, model)
    for info, value in zip(model.graph.output, expected):
        info.CopyFrom(helper.make_tensor_value_info(
            info.name, helper.np_dtype_to_tensor_dtype(np.asarray(value).dtype), None))
    for info in model.graph.output[len(expected):]:
        info.CopyFrom(helper.make_tensor_value_info(info.name, onnx.TensorProto.FLOAT, None))
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    (folder / "tolerance.txt").write_text(case.tolerance + "\n")
    data = folder / "test_data_set_0"
    data.mkdir()
    for i, (name, value) in enumerate(case.inputs.items()):
        (data / f"input_{i}.pb").write_bytes(numpy_helper.from_array(value, name).SerializeToString())
    for i, value in enumerate(expected):
        proto = numpy_helper.from_array(np.asarray(value), case.outputs[i])
        (data / f"output_{i}.pb").write_bytes(proto.SerializeToString())


def judge(report, case, target, status, text):
    name = f"{target} {case.name}"
    if case.refused:
        if status == "refused" and case.refused in text:
            report.ok(name)
        else:
            report.fail(name, f"must be refused with '{case.refused}': {status}: {text[-300:].strip()}")
    elif status == "passed":
        report.ok(name)
    else:
        report.fail(name, f"{status}: {text[-300:].strip()}")


def main():
    report = Report()
    names = sys.argv[1:]
    cases = [case for module in MODULES for case in importlib.import_module(module).cases()
             if not names or any(name in case.name for name in names)]
    with tempfile.TemporaryDirectory() as scratch:
        groups = {}
        for case in cases:
            folder = pathlib.Path(scratch) / case.name
            write_case(case, folder)
            groups.setdefault(tuple(case.flags), {})[str(folder)] = case
        for target, tool in TARGETS.items():
            if tool and not shutil.which(tool):
                report.skip(target, f"{tool} is not installed")
                continue
            for flags, some in groups.items():
                extra = [f"--target={target}", "--optimize=-O1", *flags]
                for folder, (status, text) in sorted(macec.verify_many(some, extra).items()):
                    judge(report, some[folder], target, status, text)
    report.finish()


if __name__ == "__main__":
    main()
