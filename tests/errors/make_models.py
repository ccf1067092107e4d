#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the small wrong models of the error tests: make_models.py OUT writes them all.

A model is a function below whose name is the file's; it returns an onnx.ModelProto, or the bytes of a file. Nothing is checked
by onnx here: most of these are wrong on purpose.
"""
import json
import pathlib
import struct
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


def value(name, shape, dtype=FLOAT):
    return helper.make_tensor_value_info(name, dtype, shape)


def weight(name, *shape, dtype=np.float32):
    return numpy_helper.from_array((np.arange(int(np.prod(shape))).reshape(shape) % 7 - 3).astype(dtype), name)


def ints(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def node(op, inputs, outputs, name, **attributes):
    return helper.make_node(op, inputs.split(), outputs.split(), name=name, **attributes)


def model(nodes, inputs, outputs, initializers=(), opset=18, domains=(), ir_version=9):
    graph = helper.make_graph(nodes, "g", inputs, outputs, list(initializers))
    imports = [helper.make_opsetid("", opset)] + [helper.make_opsetid(d, 1) for d in domains]
    return helper.make_model(graph, opset_imports=imports, ir_version=ir_version, producer_name="tests/errors")


# ---- one that is right, for errors of the command line ----

def tiny():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])])


def batched():
    return model([node("Relu", "x", "y", "act")], [value("x", ["batch", 4])], [value("y", ["batch", 4])])


def two_devices():
    """Of its steps a GPU cannot do those in double."""
    nodes = [node("Conv", "x w", "c", "stem"), node("Cast", "x", "wide", "widen", to=TensorProto.DOUBLE),
             node("ReduceMax", "wide", "most", "greatest", keepdims=0)]
    outputs = [value("c", [1, 8, 8, 8]), value("most", [], TensorProto.DOUBLE)]
    return model(nodes, [value("x", [1, 4, 8, 8])], outputs, [weight("w", 8, 4, 1, 1)])


# ---- files that are no models ----

def checkpoint():
    return b"PK\x03\x04" + b"\0" * 26 + b"archive/data.pkl" + b"\0" * 64


def lfs_pointer():
    return b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"a" * 64 + b"\nsize 14000000\n"


def lite_model():
    return struct.pack("<I", 28) + b"TFL3" + b"\0" * 64


def saved_by_numpy():
    return b"\x93NUMPY\x01\x00" + b"\0" * 64


def web_page():
    return b"<!DOCTYPE html>\n<html><head><title>Sign in</title></head></html>\n"


def description():
    return json.dumps({"model": "net", "layers": 3}).encode()


def empty():
    return b""


def cut_off():
    return conv_right().SerializeToString()[:150]


# ---- the graph as a whole ----

def conv_right():
    return model([node("Conv", "x w", "y", "conv")], [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 3, 3, 3)])


def no_opset():
    m = tiny()
    del m.opset_import[:]
    return m


def opset_of_the_future():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])], opset=99)


def opset_too_old():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])], opset=0)


def no_outputs():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [])


def unknown_value():
    return model([node("Add", "x lost", "y", "sum")], [value("x", [1, 4])], [value("y", [1, 4])])


def output_of_nothing():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [value("z", [1, 4])])


def cycle():
    nodes = [node("Add", "x b", "a", "first"), node("Relu", "a", "b", "second"), node("Relu", "b", "y", "last")]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])])


def made_twice():
    nodes = [node("Relu", "x", "y", "first"), node("Neg", "x", "y", "second")]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])])


def weights_elsewhere():
    tensors = []
    for name, shape, offset in (("conv1.weight", [64, 3, 7, 7], 0), ("conv1.bias", [64], 37632)):
        t = TensorProto(name=name, data_type=FLOAT, dims=shape, data_location=TensorProto.EXTERNAL)
        for key, text in (("location", "net.onnx.data"), ("offset", str(offset)), ("length", str(4 * int(np.prod(shape))))):
            t.external_data.add(key=key, value=text)
        tensors.append(t)
    conv = node("Conv", "x conv1.weight conv1.bias", "y", "conv1", strides=[2, 2], pads=[3, 3, 3, 3])
    return model([conv], [value("x", [1, 3, 32, 32])], [value("y", [1, 64, 16, 16])], tensors)


def weights_outside():
    m = weights_elsewhere()
    for t in m.graph.initializer:
        t.external_data[0].value = "../secret.bin"
    return m


def weight_too_short():
    t = TensorProto(name="w", data_type=FLOAT, dims=[4], raw_data=b"\0" * 12)
    return model([node("Add", "x w", "y", "sum")], [value("x", [1, 4])], [value("y", [1, 4])], [t])


def weight_too_large():
    t = TensorProto(name="w", data_type=FLOAT, dims=[1 << 32, 1 << 32])
    return model([node("Add", "x w", "y", "sum")], [value("x", [1, 4])], [value("y", [1, 4])], [t])


# ---- dimensions ----

def dimension_without_size():
    nodes = [node("Add", "input_ids attention_mask", "y", "sum")]
    inputs = [value("input_ids", [1, "s53"], INT64), value("attention_mask", [1, "s53"], INT64)]
    return model(nodes, inputs, [value("y", [1, "s53"], INT64)])


def dimension_that_must_be_large():
    """The first example that comes to mind would not compile."""
    return model([node("MaxPool", "x", "y", "pool", kernel_shape=[200])], [value("x", [1, 4, "frames"])], [value("y", [1, 4, "rest"])])


def dimension_without_name():
    return model([node("Relu", "x", "y", "act")], [value("x", [None, 4])], [value("y", [None, 4])])


def input_without_shape():
    m = tiny()
    m.graph.input[0].type.tensor_type.ClearField("shape")
    return m


# ---- operators ----

def unsupported_in_the_middle():
    nodes = [node("Relu", "x", "a", "stage1/act"), node("FancySwish", "a", "b", "stage1/swish", domain="com.vendor"),
             node("Relu", "b", "y", "stage2/act")]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])], domains=["com.vendor"])


def unsupported_two():
    nodes = [node("FancySwish", "x", "a", "stage1/swish", domain="com.vendor"), node("FancySwish", "a", "b", "stage2/swish", domain="com.vendor"),
             node("HyperNorm", "b", "y", "norm", domain="com.vendor")]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])], domains=["com.vendor"])


def misspelt_operator():
    return model([node("Rellu", "x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])])


def unknown_attribute():
    return model([node("Relu", "x", "y", "act", slope=2.0)], [value("x", [1, 4])], [value("y", [1, 4])])


def attribute_of_wrong_kind():
    nodes = [node("Softmax", "x", "y", "soft", axis="last")]
    return model(nodes, [value("x", [1, 4])], [value("y", [1, 4])])


def missing_attribute():
    return model([node("Concat", "x x", "y", "join")], [value("x", [1, 4])], [value("y", [1, 8])])


def too_few_inputs():
    return model([node("Conv", "x", "y", "conv")], [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 6, 6])])


def depth_left_out():
    inputs = [value("at", [4], INT64), value("values", [2])]
    return model([helper.make_node("OneHot", ["at", "", "values"], ["y"], name="hot")], inputs, [value("y", [4, 3])])


def zero_point_left_out():
    scale, byte = numpy_helper.from_array(np.float32(1), "s"), TensorProto.UINT8
    inputs = [value("x", [1, 1, 3, 3], byte), value("z", [], byte), value("w", [1, 1, 1, 1], byte)]
    conv = helper.make_node("QLinearConv", ["x", "s", "z", "w", "s", "", "s", "z"], ["y"], name="conv")
    return model([conv], inputs, [value("y", [1, 1, 3, 3], byte)], [scale])


def size_of_nonsense():
    return model([node("Expand", "x shape", "y", "grow")], [value("x", [1])], [value("y", None)], [ints("shape", 3, 2, 2449958197289549830)])


def negative_extent():
    return model([node("Expand", "x shape", "y", "grow")], [value("x", [1])], [value("y", None)], [ints("shape", 3, -65533, 2)])


def input_of_text():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4]), value("words", [2], TensorProto.STRING)], [value("y", [1, 4])])


def too_many_inputs():
    return model([node("Relu", "x x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])])


def wrong_type():
    return model([node("Not", "x", "y", "flip")], [value("x", [1, 4])], [value("y", [1, 4])])


def two_types():
    nodes = [node("Add", "x i", "y", "sum")]
    return model(nodes, [value("x", [1, 4]), value("i", [1, 4], INT64)], [value("y", [1, 4])])


def two_float_types():
    return model([node("Conv", "x w", "y", "conv")], [value("x", [1, 3, 8, 8])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 3, 3, 3, dtype=np.float64)])


def two_types_joined():
    nodes = [node("Concat", "x i", "y", "join", axis=0)]
    return model(nodes, [value("x", [1, 4]), value("i", [1, 4], INT64)], [value("y", [2, 4])])


def index_of_float():
    nodes = [node("Gather", "x i", "y", "pick", axis=1)]
    return model(nodes, [value("x", [1, 4]), value("i", [2])], [value("y", [1, 2])])


def sparse_index_outside():
    m = model([node("Add", "x w", "y", "sum")], [value("x", [2, 3])], [value("y", [2, 3])])
    values = numpy_helper.from_array(np.float32([5, -2]), "w")
    m.graph.sparse_initializer.append(helper.make_sparse_tensor(values, ints("", 1, 6), [2, 3]))
    return m


def trace_of_no_square():
    nodes = [node("Einsum", "x", "y", "trace", equation="ii->")]
    return model(nodes, [value("x", [2, 3])], [value("y", [])])


def ir_of_the_future():
    return model([node("Relu", "x", "y", "act")], [value("x", [1, 4])], [value("y", [1, 4])], ir_version=99)


def only_another_domain():
    m = tiny()
    m.opset_import[0].domain = "com.vendor"
    return m


def condition_of_float():
    branches = {k: helper.make_graph([node(op, "x", "t", "")], k, [], [value("t", [4])]) for k, op in (("then_branch", "Neg"), ("else_branch", "Abs"))}
    return model([helper.make_node("If", ["c"], ["y"], name="choose", **branches)], [value("c", []), value("x", [4])], [value("y", [4])])


def trip_count_of_three():
    body = helper.make_graph([node("Identity", "go", "goes", ""), node("Neg", "a", "b", "")], "body",
                             [value("it", [], INT64), value("go", [], TensorProto.BOOL), value("a", [4])], [value("goes", [], TensorProto.BOOL), value("b", [4])])
    return model([helper.make_node("Loop", ["n", "", "x"], ["y"], name="again", body=body)], [value("n", [3], INT64), value("x", [4])], [value("y", [4])])


def zero_point_of_other_shape():
    scale, zero = numpy_helper.from_array(np.float32([1, 2, 3]), "s"), numpy_helper.from_array(np.uint8(3), "z")
    nodes = [node("QuantizeLinear", "x s z", "y", "round", axis=0)]
    return model(nodes, [value("x", [3, 2])], [value("y", [3, 2], TensorProto.UINT8)], [scale, zero])


def two_channels():
    return model([node("Conv", "x w", "y", "stem/conv")], [value("x", [1, 2, 8, 8])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 3, 3, 3)])


def channels_last():
    return model([node("Conv", "x w", "y", "stem/conv")], [value("x", [1, 8, 8, 3])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 3, 3, 3)])


def groups_do_not_divide():
    nodes = [node("Conv", "x w", "y", "conv", group=3)]
    return model(nodes, [value("x", [1, 6, 8, 8])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 2, 3, 3)])


def window_too_large():
    return model([node("Conv", "x w", "y", "conv")], [value("x", [1, 3, 4, 4])], [value("y", [1, 4, 1, 1])], [weight("w", 4, 3, 7, 7)])


def stride_zero():
    nodes = [node("MaxPool", "x", "y", "pool", kernel_shape=[2, 2], strides=[0, 1])]
    return model(nodes, [value("x", [1, 3, 4, 4])], [value("y", [1, 3, 2, 2])])


def inner_extents_differ():
    return model([node("MatMul", "x w", "y", "fc")], [value("x", [2, 5])], [value("y", [2, 3])], [weight("w", 4, 3)])


def no_broadcast():
    nodes = [node("Add", "x w", "y", "sum")]
    return model(nodes, [value("x", [2, 5])], [value("y", [2, 5])], [weight("w", 4)])


def reshape_count():
    nodes = [node("Reshape", "x s", "y", "flatten")]
    return model(nodes, [value("x", [1, 3, 4, 4])], [value("y", [1, 47])], [ints("s", 1, 47)])


def reshape_computed():
    nodes = [node("Reshape", "x s", "y", "flatten")]
    return model(nodes, [value("x", [1, 12]), value("s", [2], INT64)], [value("y", [3, 4])])


def concat_extents():
    nodes = [node("Concat", "x v", "y", "join", axis=1)]
    return model(nodes, [value("x", [1, 3, 4]), value("v", [1, 3, 5])], [value("y", [1, 6, 4])])


def axis_out_of_range():
    return model([node("Softmax", "x", "y", "soft", axis=2)], [value("x", [1, 4])], [value("y", [1, 4])])


def permutation_wrong():
    return model([node("Transpose", "x", "y", "turn", perm=[0, 1, 1])], [value("x", [2, 3, 4])], [value("y", [2, 3, 3])])


def split_sum():
    nodes = [node("Split", "x s", "a b", "halves", axis=1)]
    return model(nodes, [value("x", [1, 6])], [value("a", [1, 2]), value("b", [1, 3])], [ints("s", 2, 3)])


def index_out_of_range():
    nodes = [node("Gather", "w i", "y", "pick")]
    return model(nodes, [value("x", [1])], [value("y", [1, 3])], [weight("w", 4, 3), ints("i", 9)])


def three_causes():
    nodes = [node("Conv", "x w", "a", "conv"), node("FancySwish", "x", "b", "swish", domain="com.vendor"), node("MatMul", "v u", "c", "fc")]
    inputs = [value("x", [1, 2, 8, 8]), value("v", [2, 5])]
    outputs = [value("a", [1, 4, 6, 6]), value("b", [1, 2, 8, 8]), value("c", [2, 3])]
    return model(nodes, inputs, outputs, [weight("w", 4, 3, 3, 3), weight("u", 4, 3)], domains=["com.vendor"])


def condition_of_two_ranks():
    then_graph = helper.make_graph([node("Identity", "x", "t", "same")], "then", [], [value("t", [1, 4])])
    else_graph = helper.make_graph([node("Identity", "x4", "e", "copy")], "else", [], [value("e", [1, 1, 4, 1])])
    branch = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=then_graph, else_branch=else_graph)
    inputs = [value("x", [1, 4]), value("x3", [1, 4, 1]), value("c", [], TensorProto.BOOL)]
    unsqueeze = node("Unsqueeze", "x3 ax", "x4", "up")
    return model([unsqueeze, branch], inputs, [value("y", [1, 4])], [ints("ax", 0)])


def branching(then_nodes, else_nodes, initializers, domains=()):
    """y = If(c) { then } else { else }: both branches read x[1,4] and give 't' and 'e'."""
    then_graph = helper.make_graph(then_nodes, "then", [], [value("t", [1, 4])])
    else_graph = helper.make_graph(else_nodes, "else", [], [value("e", [1, 4])])
    branch = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=then_graph, else_branch=else_graph)
    inputs = [value("x", [1, 4]), value("c", [], TensorProto.BOOL)]
    return model([branch], inputs, [value("y", [1, 4])], initializers, domains=domains)


def neither_branch_can_run():
    return branching([node("MatMul", "x w", "t", "five")], [node("MatMul", "x u", "e", "six")], [weight("w", 5, 4), weight("u", 6, 4)])


def unsupported_in_a_branch():
    """The other branch cannot run, but an operator that is not supported is no matter of sizes."""
    return branching([node("Foo", "x", "t", "first", domain="com.vendor")], [node("MatMul", "x u", "e", "six")], [weight("u", 6, 4)], ["com.vendor"])


def branch_for_some_sizes():
    """A Squeeze that can run for one of the sizes."""
    then_graph = helper.make_graph([node("Squeeze", "x ax", "t", "drop")], "then", [], [value("t", ["n"])])
    else_graph = helper.make_graph([node("Identity", "x2", "e", "copy")], "else", [], [value("e", [4])])
    branch = helper.make_node("If", ["c"], ["y"], name="choose", then_branch=then_graph, else_branch=else_graph)
    inputs = [value("x", ["n", 4]), value("x2", [4]), value("c", [], TensorProto.BOOL)]
    return model([branch], inputs, [value("y", [4])], [ints("ax", 0)])


def hostile_names():
    nodes = [node("Conv", "x w", "y", "conv\n*/\x1b[31m\"; system(1)")]
    return model(nodes, [value("x", [1, 2, 8, 8])], [value("y", [1, 4, 6, 6])], [weight("w", 4, 3, 3, 3)])


NOT_MODELS = {"value", "weight", "ints", "node", "model", "branching", "main"}


def main():
    out = pathlib.Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    for name, make in list(globals().items()):
        if callable(make) and getattr(make, "__module__", "") == __name__ and name not in NOT_MODELS:
            made = make()
            (out / f"{name}.onnx").write_bytes(made if isinstance(made, bytes) else made.SerializeToString())


if __name__ == "__main__":
    main()
