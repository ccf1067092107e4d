#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains the classifier of this example and writes fashion.onnx.

    python3 train.py                              the recipe below
    python3 train.py --epochs 20 --out try.onnx   a shorter run (below 10 epochs the average of the
                                                  weights has not left its start: useless)

Needs torch, onnx, onnxscript and onnxruntime, and Debian's package dataset-fashion-mnist.

The model: 28x28 grey pictures of clothes (Fashion-MNIST), ten classes. A MobileNetV2 in small:
a 3x3 convolution, inverted residual blocks with depthwise 3x3 convolutions, BatchNorm and ReLU6,
global average pooling, one dense layer, softmax. 58,122 parameters, about 5.3 million
multiply-adds a picture.

    image  float32[batch,1,28,28]  pixel / 255; mean and deviation are taken out inside the model
    scores float32[batch,10]       probabilities

The recipe: all 60,000 training pictures, 120 epochs in batches of 256; AdamW, weight decay 0.02,
learning rate up to 0.006 and down again on a cosine; label smoothing 0.1; pictures mirrored, moved
by up to 2 pixels, a random rectangle erased in half of them; the weights that are kept are a
running average. Seed 7. Nothing is chosen by looking at the test pictures: they are counted once.

Reached by the committed fashion.onnx: 94.89 % of the 10,000 test pictures, counted by onnxruntime
(torch 2.11, 7 minutes on one H200; 72 seconds an epoch on 4 processor cores).
"""

import argparse
import gzip
import math
import pathlib
import time

import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

MEAN, DEVIATION = 0.2860, 0.3530  # of the training pixels / 255
BLOCKS = [  # expansion, channels, repeats, stride
    (1, 16, 1, 1),
    (3, 24, 3, 2),
    (3, 40, 4, 2),
]
HEAD_CHANNELS = 128


def read_idx(path):
    """An IDX file of bytes, gzipped, as an array: magic 0x0000_08_rank, extents, data."""
    data = gzip.open(path).read()
    rank = data[3]
    shape = [int.from_bytes(data[4 + 4 * i : 8 + 4 * i], "big") for i in range(rank)]
    return np.frombuffer(data, np.uint8, offset=4 + 4 * rank).reshape(shape)


def load_pictures(folder, part, device):
    images = read_idx(folder / f"{part}-images-idx3-ubyte.gz").astype(np.float32) / 255
    labels = read_idx(folder / f"{part}-labels-idx1-ubyte.gz").astype(np.int64)
    return torch.from_numpy(images)[:, None].to(device), torch.from_numpy(labels).to(device)


def convolution(c_in, c_out, kernel, stride=1, groups=1, activation=True):
    conv = nn.Conv2d(c_in, c_out, kernel, stride, kernel // 2, groups=groups, bias=False)
    return [conv, nn.BatchNorm2d(c_out)] + ([nn.ReLU6()] if activation else [])


class InvertedResidual(nn.Module):
    """1x1 up, 3x3 depthwise, 1x1 down; added to its input where the shapes agree."""

    def __init__(self, c_in, c_out, stride, expansion):
        super().__init__()
        c = c_in * expansion
        up = convolution(c_in, c, 1) if expansion > 1 else []
        self.body = nn.Sequential(
            *up,
            *convolution(c, c, 3, stride, groups=c),
            *convolution(c, c_out, 1, activation=False))
        self.has_skip = stride == 1 and c_in == c_out

    def forward(self, x):
        return x + self.body(x) if self.has_skip else self.body(x)


class Classifier(nn.Module):
    """Pixels / 255 in, logits out."""

    def __init__(self):
        super().__init__()
        layers, c = convolution(1, 16, 3), 16
        for expansion, channels, repeats, stride in BLOCKS:
            for i in range(repeats):
                layers.append(InvertedResidual(c, channels, stride if i == 0 else 1, expansion))
                c = channels
        layers += convolution(c, HEAD_CHANNELS, 1)
        self.features = nn.Sequential(*layers)
        self.classify = nn.Linear(HEAD_CHANNELS, 10)

    def forward(self, image):
        x = self.features((image - MEAN) / DEVIATION)
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.classify(x)


class Probabilities(nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        return F.softmax(self.model(image), dim=1)


def augment(x):
    """Mirrors half of the pictures, moves all by up to 2 pixels, erases a rectangle in half."""
    n, _, height, width = x.shape
    device = x.device
    mirrored = torch.rand(n, 1, 1, 1, device=device) < 0.5
    x = torch.where(mirrored, x.flip(3), x)

    padded = F.pad(x, (2, 2, 2, 2))
    rows = torch.randint(0, 5, (n, 1), device=device) + torch.arange(height, device=device)
    columns = torch.randint(0, 5, (n, 1), device=device) + torch.arange(width, device=device)
    item = torch.arange(n, device=device)[:, None, None]
    x = padded[item, 0, rows[:, :, None], columns[:, None, :]][:, None]

    def span(extent):
        size = torch.randint(3, 11, (n, 1), device=device)
        start = (torch.rand(n, 1, device=device) * (extent - size + 1)).long()
        at = torch.arange(extent, device=device)
        return (at >= start) & (at < start + size)

    erased = span(height)[:, :, None] & span(width)[:, None, :]
    erased &= torch.rand(n, 1, 1, device=device) < 0.5
    return x.masked_fill(erased[:, None], 0.0)


def accuracy(model, images, labels):
    model.eval()
    with torch.no_grad():
        right = sum((model(i).argmax(1) == l).sum().item()
                    for i, l in zip(images.split(1000), labels.split(1000)))
    return right / len(labels)


def train(model, images, labels, args):
    steps_per_epoch = len(images) // args.batch
    steps = args.epochs * steps_per_epoch
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.rate, weight_decay=0.02)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, args.rate, steps, pct_start=0.2)
    average = torch.optim.swa_utils.AveragedModel(
        model, multi_avg_fn=torch.optim.swa_utils.get_ema_multi_avg_fn(0.998), use_buffers=True)
    start = time.time()
    for epoch in range(args.epochs):
        model.train()
        order = torch.randperm(len(images), device=images.device)
        total = 0.0
        for picked in order[: steps_per_epoch * args.batch].split(args.batch):
            logits = model(augment(images[picked]))
            loss = F.cross_entropy(logits, labels[picked], label_smoothing=0.1)
            optimizer.zero_grad(set_to_none=True)
            loss.backward()
            optimizer.step()
            schedule.step()
            average.update_parameters(model)
            total += loss.detach()
        print(f"epoch {epoch + 1}/{args.epochs}: loss {float(total) / steps_per_epoch:.4f}, "
              f"{time.time() - start:.0f} s", flush=True)
    return average.module


def export(model, path):
    """One file, opset 18, any batch; weights inside."""
    model = Probabilities(model).cpu().eval()
    torch.onnx.export(
        model, (torch.zeros(2, 1, 28, 28),), str(path), dynamo=True, opset_version=18,
        input_names=["image"], output_names=["scores"], external_data=False,
        dynamic_shapes={"image": {0: torch.export.Dim("batch", min=1, max=4096)}})
    strip_export_notes(path)


def strip_export_notes(path):
    """Removes the exporter's stack traces and source paths, which say nothing about the model."""
    import onnx

    model = onnx.load(path)
    del model.metadata_props[:]
    model.graph.doc_string = ""
    del model.graph.metadata_props[:]
    for message in [*model.graph.node, *model.graph.value_info, *model.graph.input,
                    *model.graph.output, *model.graph.initializer]:
        message.doc_string = ""
        if hasattr(message, "metadata_props"):
            del message.metadata_props[:]
    onnx.checker.check_model(model, full_check=True)
    onnx.save(model, path)


def check_with_onnxruntime(path, images, labels):
    import onnxruntime

    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    right = 0
    for i, l in zip(images.cpu().split(500), labels.cpu().split(500)):
        scores = session.run(None, {"image": i.numpy()})[0]
        right += int((scores.argmax(1) == l.numpy()).sum())
    return right / len(labels)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=pathlib.Path,
                        default=pathlib.Path("/usr/share/datasets/fashion-mnist"),
                        help="folder of the four .gz files (Debian package dataset-fashion-mnist)")
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(__file__).parent / "fashion.onnx")
    parser.add_argument("--epochs", type=int, default=120)
    parser.add_argument("--batch", type=int, default=256)
    parser.add_argument("--rate", type=float, default=0.006)
    parser.add_argument("--seed", type=int, default=7)
    args = parser.parse_args()

    torch.manual_seed(args.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    images, labels = load_pictures(args.data, "train", device)
    test_images, test_labels = load_pictures(args.data, "t10k", device)
    model = Classifier().to(device)
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, on {device}")
    model = train(model, images, labels, args)
    print(f"test pictures right: {accuracy(model, test_images, test_labels):.2%}")
    export(model, args.out)
    print(f"{args.out}: {args.out.stat().st_size:,} bytes, test pictures right by onnxruntime: "
          f"{check_with_onnxruntime(args.out, test_images, test_labels):.2%}")


if __name__ == "__main__":
    main()
