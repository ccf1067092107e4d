#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`macec verify` notices what is wrong: run.py [NAME...]

A model with two outputs and right data must be verified (exit 0); each change of the data below must make it exit 1, with a text
that has the given words. Needs numpy and onnx.
"""
import json
import pathlib
import sys
import tempfile

import macec
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from report import Report

X = np.array([[1.5, -2.0, 3.25, 0.0], [-4.0, 0.5, 100.0, -0.125]], np.float32)
I = np.array([3, -1], np.int64)


def write_model(folder):
    nodes = [helper.make_node("Relu", ["x"], ["y"], name="act"), helper.make_node("Neg", ["i"], ["j"], name="minus")]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(nodes, "g", [info("x", TensorProto.FLOAT, [2, 4]), info("i", TensorProto.INT64, [2])],
                              [info("y", TensorProto.FLOAT, [2, 4]), info("j", TensorProto.INT64, [2])])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    folder.mkdir(parents=True)
    (folder / "model.onnx").write_bytes(model.SerializeToString())


def put(data, name, array):
    (data / f"{name}.pb").write_bytes(numpy_helper.from_array(array).SerializeToString())


def right_data(data):
    data.mkdir()
    put(data, "input_0", X)
    put(data, "input_1", I)
    put(data, "output_0", np.maximum(X, 0))
    put(data, "output_1", -I)


def changed(array, index, value):
    array = array.copy()
    array[index] = value
    return array


Y = np.maximum(X, 0)
# Name: (what is done to the right data, words of the answer in lower case).
WRONG = {
    "one_changed_element": (lambda d: put(d, "output_0", changed(Y, (1, 1), 0.75)), ["y"]),
    "a_nan_in_the_reference": (lambda d: put(d, "output_0", changed(Y, (0, 0), np.nan)), ["y", "nan"]),
    "an_infinity_in_the_reference": (lambda d: put(d, "output_0", changed(Y, (0, 0), np.inf)), ["y"]),
    "wrong_shape": (lambda d: put(d, "output_0", Y.reshape(4, 2)), ["y", "4,2"]),
    "wrong_rank": (lambda d: put(d, "output_0", Y.reshape(2, 4, 1)), ["y"]),
    "wrong_dtype": (lambda d: put(d, "output_0", Y.astype(np.float64)), ["y", "float64"]),
    "second_output_changed": (lambda d: put(d, "output_1", -I + 1), ["j"]),
    "outputs_swapped": (lambda d: (put(d, "output_0", -I), put(d, "output_1", Y)), ["y"]),
    "missing_output": (lambda d: (d / "output_1.pb").unlink(), ["j"]),
    "no_outputs_at_all": (lambda d: [p.unlink() for p in d.glob("output_*.pb")], ["output"]),
    "output_cut_off": (lambda d: (d / "output_0.pb").write_bytes((d / "output_0.pb").read_bytes()[:-5]), ["output_0.pb"]),
    "output_empty": (lambda d: (d / "output_0.pb").write_bytes(b""), ["output_0.pb"]),
    "input_cut_off": (lambda d: (d / "input_0.pb").write_bytes((d / "input_0.pb").read_bytes()[:9]), ["input_0.pb"]),
    "missing_input": (lambda d: (d / "input_1.pb").unlink(), ["i"]),
    "input_of_wrong_shape": (lambda d: put(d, "input_0", X[:1]), ["x", "1,4"]),
    "input_of_wrong_dtype": (lambda d: put(d, "input_0", X.astype(np.int64)), ["x", "int64"]),
    "one_output_too_many": (lambda d: put(d, "output_2", Y), ["output_2"]),
}


def verify(*arguments):
    return macec.run([macec.MACEC, "verify", *arguments], timeout=120)


def expect(report, name, result, code, words):
    text = result.out + result.err
    lacking = [w for w in words if w not in text.lower()]
    if result.code != code:
        report.fail(name, f"exit code {result.code}, not {code}: {text[-300:].strip()}")
    elif lacking:
        report.fail(name, f"the text lacks {lacking}: {text[-300:].strip()}")
    else:
        report.ok(name)


def npz(path, **arrays):
    np.savez(path, **arrays)
    return path


def whole_commands(report, scratch):
    """Right data in every form, and several folders at once."""
    right, wrong, empty = scratch / "right", scratch / "wrong", scratch / "empty"
    for folder in (right, wrong, empty):
        write_model(folder)
    right_data(right / "test_data_set_0")
    right_data(wrong / "test_data_set_0")
    right_data(wrong / "test_data_set_1")
    put(wrong / "test_data_set_1", "output_0", -Y)
    expect(report, "right_folder", verify(right), 0, [])
    expect(report, "right_model_and_data", verify(right / "model.onnx", "--data", right), 0, [])
    expect(report, "right_single_set", verify(wrong / "model.onnx", "--data", wrong / "test_data_set_0"), 0, [])
    expect(report, "second_set_wrong", verify(wrong), 1, ["test_data_set_1", "y"])
    expect(report, "right_npz", verify(right / "model.onnx", "--data", npz(scratch / "a.npz", x=X, i=I, y=Y, j=-I)), 0, [])
    expect(report, "wrong_npz", verify(right / "model.onnx", "--data", npz(scratch / "b.npz", x=X, i=I, y=Y + 1, j=-I)), 1, ["y"])
    expect(report, "npz_of_other_names", verify(right / "model.onnx", "--data", npz(scratch / "c.npz", x=X, q=I, y=Y)), 1, ["i"])
    result = verify("--json", right, wrong, "--jobs=2")
    expect(report, "json_of_two_folders", result, 1, [])
    try:
        have = {m["path"]: m["status"] for m in json.loads(result.out)["models"]}
    except (ValueError, KeyError, TypeError) as error:
        report.fail("json_says_which", f"{error}: {result.out[:200]}")
        return
    report.check("json_says_which", have == {str(right): "passed", str(wrong): "wrong"}, f"{have}")


def a_constant_for_each_set(report, scratch):
    """Two data sets that differ in an input that must be known at compile time."""
    folder, info = scratch / "pick", helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Slice", ["x", "from", "to"], ["y"], name="cut")], "g",
                              [info("x", TensorProto.FLOAT, [2, 4]), info("from", TensorProto.INT64, [1]), info("to", TensorProto.INT64, [1])],
                              [info("y", TensorProto.FLOAT, None)])
    folder.mkdir()
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    for i in range(2):
        data = folder / f"test_data_set_{i}"
        data.mkdir()
        for name, array in (("input_0", X), ("input_1", np.array([i])), ("input_2", np.array([i + 1])), ("output_0", X[i:i + 1])):
            put(data, name, array)
    expect(report, "a_constant_for_each_set", verify(folder), 0, ["2 data sets"])


def flags_of_one_model(report, scratch):
    """Types of the app, and flags that one of two models has a use for."""
    typed, sized = scratch / "typed", scratch / "sized"
    write_model(typed)
    right_data(typed / "test_data_set_0")
    expect(report, "data_in_the_types_of_the_app", verify(typed, "--io-type=i=int32", "--io-type=j=int32", "--io-type=y=float16"), 0, ["1 data set, 2 outputs"])
    expect(report, "rounded_inputs_have_other_answers", verify(typed, "--io-type=x=int8"), 0, ["own evaluator", "--io-type"])
    expect(report, "a_set_input_has_other_answers", verify(typed, "--set=x=2"), 0, ["own evaluator", "--set gives 'x'"])
    expect(report, "a_set_input_of_the_same_value", verify(typed, "--set=i=3,-1"), 0, ["1 data set, 2 outputs"])
    expect(report, "data_of_a_cut_model", verify(typed / "model.onnx", "--inputs=y", "--outputs=y", "--data", npz(scratch / "cut.npz", y=Y)), 0, ["1 output"])
    info = helper.make_tensor_value_info
    graph = helper.make_graph([helper.make_node("Relu", ["x"], ["y"], name="act")], "g", [info("x", TensorProto.FLOAT, ["rows", 4])],
                              [info("y", TensorProto.FLOAT, ["rows", 4])])
    sized.mkdir()
    (sized / "model.onnx").write_bytes(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9).SerializeToString())
    expect(report, "size_of_one_of_two_models", verify(typed, sized, "--dim=rows=1..3"), 0, ["2 passed"])
    expect(report, "size_that_no_model_has", verify(typed, sized, "--dim=row=3"), 1, ["1 passed, 1 refused", "did you mean 'rows'"])


def main():
    report = Report()
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        if not sys.argv[1:]:
            whole_commands(report, scratch)
            a_constant_for_each_set(report, scratch)
            flags_of_one_model(report, scratch)
        for case, (damage, words) in WRONG.items():
            if sys.argv[1:] and case not in sys.argv[1:]:
                continue
            write_model(scratch / case)
            right_data(scratch / case / "test_data_set_0")
            damage(scratch / case / "test_data_set_0")
            expect(report, case, verify(scratch / case), 1, words)
    report.finish()


if __name__ == "__main__":
    main()
