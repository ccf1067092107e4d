#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Made the models of this folder, with PyTorch 2.11, by the calls that README.md shows.

  newer.onnx              the newer exporter, as README.md has it
  older.onnx              the older exporter, as README.md has it
  net_default.onnx, .data the newer exporter with its defaults: fixed sizes, weights in a second file
  net.npz                 an input and PyTorch's output
"""
import numpy as np
import onnx
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Sequential(
    nn.Conv2d(3, 8, 3, 2, 1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
    nn.Conv2d(8, 16, 3, padding=1, groups=8), nn.GELU(),
    nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10), nn.Softmax(1))
model(torch.randn(16, 3, 32, 32))  # gives BatchNorm something to remember
model.eval()
image = torch.randn(2, 3, 32, 32)

names = {"input_names": ["image"], "output_names": ["scores"]}
torch.onnx.export(model, (image,), "newer.onnx", dynamo=True, external_data=False, **names,
                  dynamic_shapes=({0: torch.export.Dim("batch")},))
torch.onnx.export(model, (image,), "older.onnx", dynamo=False, opset_version=17, **names,
                  dynamic_axes={"image": {0: "batch"}})
torch.onnx.export(model, (image,), "net_default.onnx", **names)
np.savez("net.npz", image=image.numpy(), scores=model(image).detach().numpy())

for path in ["newer.onnx", "net_default.onnx"]:  # the exporter notes where it ran
    net = onnx.load(path, load_external_data=False)
    for node in net.graph.node:
        del node.metadata_props[:]
    onnx.save(net, path)
