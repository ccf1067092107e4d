#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes scaled.onnx: the classifier of ../fashion with a scaler of its features in front of the last layer.

    python3 make_model.py          needs numpy, onnx, onnxruntime and Debian's package dataset-fashion-mnist

The scaler is what a statistics package makes of it: mean and deviation of every feature, in float64, between two Casts. They are taken
from 2,000 training pictures; the last layer's weights take them back, so that the model answers as before.
"""
import gzip
import pathlib

import numpy as np
import onnx
import onnxruntime
from onnx import helper, numpy_helper

HERE = pathlib.Path(__file__).resolve().parent
PICTURES = pathlib.Path("/usr/share/datasets/fashion-mnist/train-images-idx3-ubyte.gz")
COUNT = 2000


def features_of(model, images):
    model = onnx.ModelProto.FromString(model.SerializeToString())
    model.graph.output.append(helper.make_tensor_value_info("view", onnx.TensorProto.FLOAT, ["batch", 128]))
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(["view"], {"image": images})[0].astype(np.float64)


def main():
    model = onnx.load(HERE.parent / "fashion/fashion.onnx")
    raw = np.frombuffer(gzip.open(PICTURES).read(), np.uint8, offset=16)
    features = features_of(model, raw.reshape(-1, 1, 28, 28)[:COUNT].astype(np.float32) / 255)
    mean, deviation = features.mean(0), features.std(0) + 1e-3

    graph = model.graph
    stored = {t.name: t for t in graph.initializer}
    weight, bias = (numpy_helper.to_array(stored[f"model.classify.{part}"]) for part in ("weight", "bias"))
    new = {"model.classify.weight": (weight * deviation).astype(np.float32), "model.classify.bias": (bias + weight @ mean).astype(np.float32)}
    for name, value in new.items():
        stored[name].CopyFrom(numpy_helper.from_array(value, name))
    graph.initializer.extend([numpy_helper.from_array(mean, "feature_mean"), numpy_helper.from_array(deviation, "feature_deviation")])
    at = next(i for i, n in enumerate(graph.node) if n.name == "node_linear")
    graph.node[at].input[0] = "scaled"
    scaler = [
        helper.make_node("Cast", ["view"], ["wide"], "scaler_in", to=onnx.TensorProto.DOUBLE),
        helper.make_node("Sub", ["wide", "feature_mean"], ["centred"], "scaler_sub"),
        helper.make_node("Div", ["centred", "feature_deviation"], ["scaled_wide"], "scaler_div"),
        helper.make_node("Cast", ["scaled_wide"], ["scaled"], "scaler_out", to=onnx.TensorProto.FLOAT),
    ]
    for i, node in enumerate(scaler):
        graph.node.insert(at + i, node)
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, HERE / "scaled.onnx")


if __name__ == "__main__":
    main()
