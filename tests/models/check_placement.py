#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `macec inspect` says of the targets with a GPU: check_placement.py [MODEL...]

  one segment, on the GPU; an upload for every input, a download for every output, and no other transfer
  memory of each device: arenas at most 1.05 times what lives in them, images at most 1.8 times
  the CPU's own plan adds at most 8 % of weights (convolutions to few channels have an order of their own there)
  mobilenetv2_100: at most 56 launches
"""
import functools
import json

import macec
import zoo
from report import Report

TARGETS = ("x86-64-opencl", "x86-64-adreno", "x86-64-mali", "armv8-adreno", "armv8-mali")
MODELS = ["mobilenetv2_100", "mobilenetv3_large_100", "resnet18", "squeezenet1_1", "unet_small", "style_transfer_small", "bert_mini",
          "vit_tiny_patch16_224"]
LAUNCHES = {"mobilenetv2_100": 56}
SLACK = {"host": 1.05, "device": 1.05, "shared": 1.05, "images": 1.8}  # images: each is as large as its largest tenant
SECOND_PLAN = 0.08


def inspect(name, target):
    result = macec.run([macec.MACEC, "inspect", zoo.folder(name) / "model.onnx", f"--target={target}", "--json"])
    return json.loads(result.out) if result.code == 0 else None


def faults(name, report):
    gpu = report["gpu"]
    if gpu is None:
        return ["nothing runs on the GPU"]
    found = []
    if [s["device"] for s in gpu["segments"]] != ["gpu"]:
        found.append(f"{len(gpu['segments'])} segments: " + "; ".join(report["placement"][:6]))
    kinds = sorted(t["kind"] for t in gpu["transfers"])
    if kinds != ["download"] * len(report["outputs"]) + ["upload"] * len(report["inputs"]):
        found.append("transfers: " + ", ".join(kinds))
    if gpu["launches"] > LAUNCHES.get(name, gpu["launches"]):
        found.append(f"{gpu['launches']} launches, allowed {LAUNCHES[name]}")
    for kind, memory in gpu["memory"].items():
        if memory["bytes"] > SLACK[kind] * memory["least_bytes"]:
            found.append(f"{kind} {memory['bytes']:,} bytes, at least {memory['least_bytes']:,}")
    if report["cpu_plan"]["weight_bytes"] > SECOND_PLAN * report["weight_bytes"]:
        found.append(f"weights that only the CPU's plan reads: {report['cpu_plan']['weight_bytes']:,} of {report['weight_bytes']:,} bytes")
    return found


def check(report, name, target):
    facts = inspect(name, target)
    found = ["it does not compile"] if facts is None else faults(name, facts)
    gpu = facts and facts["gpu"]
    text = f"{gpu['launches']} launches, {gpu['flops']:,.0f} FLOPs, {gpu['bytes']:,.0f} bytes" if gpu else ""
    report.check(f"{name} {target}", not found, "; ".join(found) or text)


def main():
    report = Report()
    models = zoo.chosen(MODELS)
    zoo.for_each(report, [(f"{m} {t}", functools.partial(check, report), m, t) for m in models for t in TARGETS])
    report.finish()


if __name__ == "__main__":
    main()
