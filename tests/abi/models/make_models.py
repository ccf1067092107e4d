#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes scorer.onnx, meter.onnx and growing.onnx beside this script (they are committed: the tests need no Python).

scorer   scores[2,4] = relu(audio[2,8] x w), w[i][j] = i - j
meter    y[frames,4] = audio[frames,k] x table[rows,4] + h, k and rows must agree; hn = h + 1; peak[1] = max(pad[height])
growing  present[copy,2,p+1,4] = past[copy,2,p,4] with x[copy,2,1,4] behind; total = sum over that axis. Its dimensions
         have the names of things in generated code.
All values that the tests use are small integers, so every level and every order of sums gives the same bits.
"""
import os

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


def save(name, nodes, inputs, outputs, constants):
    info = lambda t: helper.make_tensor_value_info(t[0], TensorProto.FLOAT, t[1])
    graph = helper.make_graph(nodes, name, [info(t) for t in inputs], [info(t) for t in outputs],
                              [numpy_helper.from_array(v, k) for k, v in constants.items()])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], producer_name="macec tests")
    model.ir_version = 8
    onnx.checker.check_model(model)
    onnx.save(model, os.path.join(os.path.dirname(os.path.abspath(__file__)), name + ".onnx"))


node = helper.make_node
save("scorer", [node("MatMul", ["audio", "w"], ["sums"]), node("Relu", ["sums"], ["scores"])],
     [("audio", [2, 8])], [("scores", [2, 4])],
     {"w": np.subtract.outer(np.arange(8), np.arange(4)).astype(np.float32)})
save("meter", [node("MatMul", ["audio", "table"], ["sums"]), node("Add", ["sums", "h"], ["y"]),
               node("Add", ["h", "one"], ["hn"]), node("ReduceMax", ["pad"], ["peak"], axes=[0], keepdims=1)],
     [("audio", ["frames", "k"]), ("table", ["rows", 4]), ("h", [1, 4]), ("pad", ["height"])],
     [("y", ["frames", 4]), ("hn", [1, 4]), ("peak", [1])], {"one": np.ones((1, 4), np.float32)})
save("growing", [node("Concat", ["past", "x"], ["present"], axis=2),
                 node("ReduceSum", ["present", "axis"], ["total"], keepdims=0)],
     [("past", ["copy", 2, "p", 4]), ("x", ["copy", 2, 1, 4])],
     [("total", ["copy", 2, 4]), ("present", ["copy", 2, "next", 4])], {"axis": np.array([2])})
