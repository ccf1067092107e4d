#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the steps of real models go: one GPU segment, no copy but inputs and outputs, as few launches as promised."""
import json

import gpu_zoo
import macec
import zoo
from report import Report


def inspect(report, name, target, *flags):
    result = macec.run([macec.MACEC, "inspect", gpu_zoo.model_file(name), f"--target={target}", "--json", *flags])
    if result.code != 0:
        report.fail(f"{name} {target}", f"inspect: exit code {result.code}: {result.err.strip()[-400:]}")
        return None
    return json.loads(result.out)


def check(report, name, target):
    label = f"{name} {target}"
    found = inspect(report, name, target, "--no-fallback")
    if found is None:
        return
    gpu = found["gpu"]
    devices = [s["device"] for s in gpu["segments"]]
    report.check(f"{label}: one segment", devices == ["gpu"], f"segments on {devices}")
    kinds = [t["kind"] for t in gpu["transfers"]]
    want = ["upload"] * len(found["inputs"]) + ["download"] * len(found["outputs"])
    report.check(f"{label}: no copy but input and output", sorted(kinds) == sorted(want), f"transfers {gpu['transfers']}")
    most = gpu_zoo.MOST_LAUNCHES.get(name)
    if most:
        report.check(f"{label}: at most {most} launches", gpu["launches"] <= most, f"{gpu['launches']} launches")
    memory = gpu["memory"]
    for part in ("device", "images", "shared"):
        report.check(f"{label}: {part} bytes", memory[part]["bytes"] >= memory[part]["least_bytes"], f"{memory[part]}")
    held = sum(memory[part]["bytes"] for part in ("device", "images"))
    least = max(1, sum(memory[part]["least_bytes"] for part in ("device", "images")))
    print(f"     {label}: {gpu['launches']} launches, {gpu['flops'] / 1e6:.0f} MFLOP, {gpu['bytes'] / 1e6:.1f} MB touched, "
          f"{held} bytes held, {held / least:.2f} of the least; {'images' if gpu['images'] else 'buffers'}")
    report.check(f"{label}: images where the target prefers them", bool(gpu["images"]) == ("adreno" in target), f"{len(gpu['images'])} images")


def main():
    report = Report()
    models = zoo.chosen(gpu_zoo.MODELS)
    zoo.for_each(report, [(f"{m} {t}", check, report, m, t) for m in models for t in gpu_zoo.TARGETS])
    report.finish()


if __name__ == "__main__":
    main()
