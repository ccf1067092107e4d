#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Turn a float32 model into a float16 one.

    to_float16.py IN.onnx OUT.onnx [--float32-io]        needs numpy and onnx

Every float32 weight, constant and value becomes float16, in bodies too; integers stay. Numbers beyond float16's range become its
largest finite ones (so a mask of -3.4e38 stays a mask without making NaN), and numbers other than 0 never become 0. Inputs that
ONNX wants in float32 (scales of Resize) keep it. The graph's own inputs and outputs become float16 too; with --float32-io they
stay, and Cast nodes stand between. Weights end up inside OUT.onnx.
"""
import argparse
import pathlib

import numpy as np
import onnx
from onnx import AttributeProto, TensorProto, helper, numpy_helper

FLOAT, FLOAT16 = TensorProto.FLOAT, TensorProto.FLOAT16
LARGEST, SMALLEST = np.float32(65504), np.float32(2.0**-24)
# Inputs that are float32 in the standard whatever the data's type: operator, index.
STAYS_FLOAT = {("Resize", 2), ("Upsample", 1)}
# Attributes that name a type; stash_type stays, it is the type of inner arithmetic.
TYPE_ATTRIBUTES = {"to", "dtype"}


def half(array):
    array = array.astype(np.float32)
    kept = np.where(np.isfinite(array), np.clip(array, -LARGEST, LARGEST), array)
    tiny = (kept != 0) & (np.abs(kept) < SMALLEST)
    return np.where(tiny, np.copysign(SMALLEST, kept), kept).astype(np.float16)


def convert_tensor(tensor):
    if tensor.data_type == FLOAT:
        tensor.CopyFrom(numpy_helper.from_array(half(numpy_helper.to_array(tensor)), tensor.name))


def convert_type(type_proto):
    kind = type_proto.WhichOneof("value")
    if kind == "tensor_type" and type_proto.tensor_type.elem_type == FLOAT:
        type_proto.tensor_type.elem_type = FLOAT16
    elif kind in ("sequence_type", "optional_type"):
        convert_type(getattr(type_proto, kind).elem_type)


def constant_tensor(node):
    """A Constant of floats in an attribute becomes one with a tensor, which can be float16."""
    for attribute in node.attribute:
        if attribute.name in ("value_float", "value_floats"):
            values = attribute.f if attribute.name == "value_float" else list(attribute.floats)
            node.attribute.remove(attribute)
            node.attribute.append(helper.make_attribute("value", numpy_helper.from_array(np.array(values, np.float32))))
            return


def convert_node(node, kept):
    if node.op_type == "Constant":
        if node.output[0] in kept:
            return
        constant_tensor(node)
    for attribute in node.attribute:
        if attribute.type == AttributeProto.TENSOR:
            convert_tensor(attribute.t)
        elif attribute.type == AttributeProto.GRAPH:
            convert_graph(attribute.g)
        elif attribute.name in TYPE_ATTRIBUTES and attribute.i == FLOAT:
            attribute.i = FLOAT16


def convert_graph(graph):
    kept = {n.input[i] for n in graph.node for op, i in STAYS_FLOAT if n.op_type == op and len(n.input) > i}
    for tensor in graph.initializer:
        if tensor.name not in kept:
            convert_tensor(tensor)
    for node in graph.node:
        convert_node(node, kept)
    for value in [*graph.input, *graph.output]:
        convert_type(value.type)
    del graph.value_info[:]


def cast_at_the_border(graph):
    """Float16 inputs and outputs get their float32 back, by Cast nodes that take over the inner names."""
    stored = {t.name for t in graph.initializer}
    first, last = [], []
    for value in [v for v in graph.input if v.name not in stored] + list(graph.output):
        if value.type.tensor_type.elem_type != FLOAT16:
            continue
        is_input = value in list(graph.input)
        outer, inner = value.name, value.name + "/half"
        for node in graph.node:
            names = node.input if is_input else node.output
            for i, name in enumerate(names):
                if name == outer:
                    names[i] = inner
            if not is_input:
                for i, name in enumerate(node.input):
                    if name == outer:
                        node.input[i] = inner
        value.type.tensor_type.elem_type = FLOAT
        if is_input:
            first.append(helper.make_node("Cast", [outer], [inner], name=outer + "/to_half", to=FLOAT16))
        else:
            last.append(helper.make_node("Cast", [inner], [outer], name=outer + "/to_float", to=FLOAT))
    nodes = first + list(graph.node) + last
    del graph.node[:]
    graph.node.extend(nodes)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("source", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--float32-io", action="store_true")
    arguments = parser.parse_args()
    model = onnx.load(arguments.source)
    convert_graph(model.graph)
    if arguments.float32_io:
        cast_at_the_border(model.graph)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    onnx.save(model, arguments.out)


if __name__ == "__main__":
    main()
